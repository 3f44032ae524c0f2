// Query: not written yet; the address and its place in the navigation are there.
import { Empty } from "../parts/states";

export default function View() {
  return (
    <>
      <h1>Query</h1>
      <Empty>This view is not there yet.</Empty>
    </>
  );
}
