// What this tab has forgotten: the server shows nothing of it any more, and the receipt says until when it can be brought back.
import type { Schema } from "../../api/types";

export type Receipt = Schema<"ReceiptReply">;

const KEPT = "mindlog.forgotten";
const MOST = 50;

/** The receipt of a memory that was forgotten in this tab; null if none is kept. It holds ids and times, no content. */
export function receiptOf(id: string): Receipt | null {
  return receipts().find((each) => each.memory_ids.includes(id)) ?? null;
}

export function keep(receipt: Receipt): void {
  sessionStorage.setItem(KEPT, JSON.stringify([receipt, ...receipts()].slice(0, MOST)));
}

export function drop(id: string): void {
  sessionStorage.setItem(KEPT, JSON.stringify(receipts().filter((each) => !each.memory_ids.includes(id))));
}

function receipts(): Receipt[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter(isReceipt) : [];
  } catch {
    return [];
  }
}

const isReceipt = (value: unknown): value is Receipt =>
  typeof value === "object" && value !== null && "memory_ids" in value && Array.isArray(value.memory_ids);
