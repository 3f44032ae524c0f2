// The first view: is it healthy, what goes on, and where to look.
import { useLoaded } from "../app/load";
import { JsonLink } from "../parts/link";
import { Loading, Trouble } from "../parts/states";
import { Activity } from "./overview/activity";
import { Datasets } from "./overview/datasets";
import { Failures } from "./overview/failures";
import { HealthPanel } from "./overview/health";
import { health, reading, useTick } from "./overview/loads";

export default function Overview() {
  const tick = useTick();
  const well = useLoaded(health, [tick]);
  const numbers = useLoaded(reading, [tick]);
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <JsonLink to="/readyz" />
      </div>
      {well.problem ? (
        <Trouble problem={well.problem} again={well.again} />
      ) : well.value ? (
        <HealthPanel health={well.value} />
      ) : (
        <Loading />
      )}
      {/* A server that does not answer has said so once. */}
      {well.problem?.status !== 0 && (
        <>
          <Failures tick={tick} series={numbers.value?.series ?? []} />
          <Activity numbers={numbers} />
          <Datasets tick={tick} counts={numbers.value?.counts ?? null} />
        </>
      )}
    </>
  );
}
