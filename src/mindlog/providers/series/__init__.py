"""Providers of series: one protocol, an endpoint by configuration and the weather of Open-Meteo."""
