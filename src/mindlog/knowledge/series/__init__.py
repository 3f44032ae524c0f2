"""Series: runs of (time, value, unit) that texts and tables name, united with what is known, and put into words."""
