// The datasets that the key may see. Counting what each holds costs the server, so only who shows it asks for it.
import { get } from "../api/client";
import type { Page, Schema } from "../api/types";

export type Dataset = Schema<"DatasetReply">;

export const datasets = (signal: AbortSignal): Promise<Dataset[]> => listed(false, signal);

/** With how much each holds. */
export const sizedDatasets = (signal: AbortSignal): Promise<Dataset[]> => listed(true, signal);

async function listed(sizes: boolean, signal: AbortSignal): Promise<Dataset[]> {
  return (await get<Page<Dataset>>("/v1/datasets", { sizes }, signal)).data;
}
