// What can be decided of a proposal, and what each decision changes.
import { send } from "../../api/client";
import type { Schema } from "../../api/types";

export type Proposal = Schema<"ProposalReply">;
export type Decision = "accepted" | "refused" | "undone";

export const STATUSES = ["open", "accepted", "refused", "undone", "all"] as const;

/** What is left to decide, the likeliest first. */
export const CHOICES: Readonly<Record<string, readonly Decision[]>> = {
  open: ["accepted", "refused"],
  accepted: ["undone"],
  refused: ["accepted"],
  undone: ["accepted"],
};

export const VERBS: Readonly<Record<Decision, string>> = { accepted: "Accept", refused: "Refuse", undone: "Undo" };

const REASONS: Readonly<Record<string, string>> = {
  initials: "one name may be the other with initials",
  order: "the same words in another order",
  part: "one name is a part of the other",
  spelling: "the names are spelt nearly the same",
  meaning: "the names mean nearly the same",
};

/** Why two may be one; a reason that has no words of ours is shown as it is. */
export const reasonOf = ({ reason }: Proposal): string => REASONS[reason] ?? reason.replaceAll("_", " ");

export const decide = (proposal: Proposal, decision: Decision): Promise<Proposal> =>
  send("POST", `/v1/proposals/${encodeURIComponent(proposal.proposal_id)}`, { decision });
