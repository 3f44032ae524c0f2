"""Outside data behind seams: web search, geocoder, series. Knows no store, knowledge or operation; each call is on record."""
