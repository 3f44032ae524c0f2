"""Geocoders: one protocol, the format of Nominatim and its likes."""
