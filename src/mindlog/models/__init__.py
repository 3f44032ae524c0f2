"""Models behind seams: embedders today. Knows no store, index or operation; importing it loads no runtime."""
