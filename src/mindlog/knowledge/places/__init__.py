"""Places: names and coordinates found in texts, and what is near a point."""
