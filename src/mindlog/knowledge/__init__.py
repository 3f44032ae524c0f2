"""Knowledge: what texts say of people, places, things and times, as records that name their evidence."""
