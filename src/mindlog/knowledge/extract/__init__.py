"""The tiers that read knowledge out of a text, each on its own, and the merge of what they found."""
