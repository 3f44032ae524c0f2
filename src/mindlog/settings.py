"""Every setting, once: name, type, default and help. Read at the composition root and passed on as values.

Sources, strongest first: arguments, `MINDLOG_*` environment variables, `mindlog.toml` in the working directory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

__all__ = ["Settings"]


class Settings(BaseSettings):
    """Settings of an engine and its server."""

    model_config = SettingsConfigDict(
        env_prefix="MINDLOG_", env_nested_delimiter="__", toml_file="mindlog.toml", extra="forbid", frozen=True
    )

    data: Path = Field(default=Path("./mindlog-data"), description="Data directory.")
    host: str = Field(default="127.0.0.1", description="Address to listen on; another than loopback needs an API key.")
    port: int = Field(default=7464, ge=0, le=65535, description="Port to listen on.")
    log_format: Literal["console", "json"] = Field(default="console", description="How the server writes its log.")

    embedder: str = Field(
        default="all-minilm-l6-v2", description="Built-in model, a folder with an ONNX model, or 'openai'."
    )
    embedder_threads: int = Field(default=2, ge=1, le=64, description="Threads that run the local embedder.")
    embedder_cache_mb: int = Field(default=32, ge=0, le=4096, description="Memory for cached embeddings, MiB.")
    embedder_window: int | None = Field(
        default=None, ge=16, le=512, description="Tokens a window; the model's own if unset."
    )
    embedder_url: str | None = Field(default=None, description="Base URL of an OpenAI-compatible embedding endpoint.")
    embedder_model: str | None = Field(default=None, description="Model name at that endpoint.")
    embedder_api_key: SecretStr | None = Field(default=None, description="Key for that endpoint.")
    embedder_dimensions: int | None = Field(default=None, ge=8, le=4096, description="Vector size at that endpoint.")

    llm: Literal["none", "openai", "anthropic"] = Field(
        default="none", description="Protocol of the language model's endpoint; without one its stages are skipped."
    )
    llm_url: str | None = Field(default=None, description="Base URL of that endpoint; the vendor's own if unset.")
    llm_model: str | None = Field(default=None, description="Model name at that endpoint.")
    llm_api_key: SecretStr | None = Field(default=None, description="Key for that endpoint.")
    llm_timeout: float = Field(default=60.0, gt=0, le=3600, description="Seconds one call may take, whole.")
    llm_max_tokens: int = Field(default=4096, ge=16, description="Most tokens of one answer.")
    llm_input_price: float | None = Field(default=None, ge=0, description="Price of a million input tokens.")
    llm_output_price: float | None = Field(default=None, ge=0, description="Price of a million output tokens.")
    llm_budget_run: int | None = Field(default=None, ge=1, description="Most tokens one run may spend.")
    llm_budget_day: int | None = Field(default=None, ge=1, description="Most tokens a UTC day may spend.")
    llm_budget_run_cost: float | None = Field(default=None, gt=0, description="Most one run may cost; needs prices.")
    llm_budget_day_cost: float | None = Field(default=None, gt=0, description="Most a UTC day may cost; needs prices.")
    llm_texts: Literal["keep", "hash"] = Field(
        default="keep", description="Whether prompts and answers are kept on record, or their hashes alone."
    )
    vision_model: str | None = Field(
        default=None, description="Model at that endpoint that captions pictures; without one none are captioned."
    )

    llm_concurrency: int = Field(default=4, ge=1, le=256, description="Most model calls under way at once.")
    llm_pause_seconds: float = Field(
        default=30.0, gt=0, description="How long an endpoint that keeps failing is left alone."
    )

    derive: bool = Field(default=True, description="Whether this process derives; off, the work waits in the store.")
    derive_concurrency: int = Field(default=8, ge=1, le=256, description="Memories derived at once.")
    derive_lease_seconds: float = Field(default=60.0, gt=0, description="How long a claim holds without a heartbeat.")
    derive_attempts: int = Field(default=5, ge=1, description="Attempts before a derivation is quarantined.")
    derive_backoff_seconds: float = Field(
        default=5.0, gt=0, description="Wait after the first failure; four times longer after each further one."
    )
    drain_seconds: float = Field(default=30.0, gt=0, le=3600, description="Longest a write with wait=derived waits.")
    classifier: bool = Field(default=True, description="Whether the spaCy tier reads texts, where it is installed.")
    auto_edge_k: int = Field(default=5, ge=0, le=100, description="Nearest memories looked at for similar_to edges.")
    auto_edge_cosine: float = Field(default=0.85, ge=-1, le=1, description="Least cosine of a similar_to edge.")
    auto_edge_max: int = Field(default=16, ge=0, le=1000, description="Most similar_to edges of one memory.")
    temporal_edge_minutes: float = Field(default=30.0, ge=0, description="Longest gap of a followed_by edge.")
    temporal_edge_cosine: float = Field(default=0.4, ge=-1, le=1, description="Least cosine of a followed_by edge.")
    hype_questions: int = Field(default=6, ge=0, le=50, description="Most questions a model makes for one memory.")
    hype_template_questions: int = Field(
        default=3, ge=0, le=50, description="Most questions made from a memory's statements without a model."
    )
    remember: bool = Field(default=True, description="Whether this process remembers; off, runs wait in the store.")
    remember_concurrency: int = Field(
        default=4, ge=1, le=64, description="Datasets in which a document is read at once."
    )
    remember_attempts: int = Field(
        default=3, ge=1, description="Attempts at a run that breaks off before it is quarantined."
    )
    chunk_tokens: int = Field(default=220, ge=32, le=2000, description="Tokens a chunk is meant to have.")
    chunk_max_tokens: int = Field(default=500, ge=64, le=4000, description="Tokens a chunk may have at most.")
    web_search_queries: int = Field(default=3, ge=1, le=20, description="Most web searches of one run.")
    query_limit: int = Field(default=12, ge=1, le=100, description="Memories a query answers from, unless it says.")
    query_context_tokens: int = Field(default=6000, ge=200, description="Most tokens of what a query answers from.")
    query_turns: int = Field(default=6, ge=0, le=50, description="Earlier turns of a session that a query knows.")
    query_near_km: float = Field(default=50.0, gt=0, le=20_000, description="How far around a place a query looks.")

    subscribers: int = Field(default=256, ge=1, description="Most subscribers at once.")
    log_days: int | None = Field(default=None, ge=1, description="How long the event log is kept; for good if unset.")

    remember_hosts: list[str] = Field(
        default=[],
        description="Hosts documents may be fetched from: names, *.example.org for all below one, * for any.",
    )
    fetch_seconds: float = Field(default=30.0, gt=0, le=3600, description="Longest a document is fetched, whole.")
    document_seconds: float = Field(default=60.0, gt=0, le=3600, description="Longest a document is read, whole.")
    max_document_bytes: int = Field(default=32 << 20, ge=1, description="Largest document that is read.")

    provider_seconds: float = Field(
        default=20.0, gt=0, le=3600, description="Longest one call of a search, geocoder or series provider, whole."
    )
    provider_max_bytes: int = Field(default=4 << 20, ge=1024, description="Largest answer of such a provider.")
    provider_concurrency: int = Field(default=4, ge=1, le=256, description="Most calls of one provider at once.")
    web_search: Literal["none", "json", "searxng", "brave", "tavily"] = Field(
        default="none", description="Where the web is searched; 'json' is any endpoint, by the paths below."
    )
    web_search_url: str | None = Field(
        default=None,
        description="Base URL of SearXNG, or address of another endpoint; for 'json' with {query}, may have {limit} and {key}.",
    )
    web_search_api_key: SecretStr | None = Field(
        default=None, description="Key for it; for 'json' a bearer token unless the address has {key}."
    )
    web_search_headers: dict[str, SecretStr] = Field(default={}, description="Further headers sent to it.")
    web_search_results: str = Field(default="/results", description="JSON pointer to the list of results, for 'json'.")
    web_search_title: str = Field(default="/title", description="Pointer to the title within a result.")
    web_search_link: str = Field(default="/url", description="Pointer to the address within a result.")
    web_search_text: str = Field(default="/content", description="Pointer to the text within a result.")
    web_search_time: str = Field(default="/published_date", description="Pointer to the time within a result.")
    geocoder_url: str | None = Field(
        default=None, description="Search address of a Nominatim-like geocoder, may have {key}; none is asked if unset."
    )
    geocoder_api_key: SecretStr | None = Field(
        default=None, description="Key for it; a bearer token unless the address has {key}."
    )
    geocoder_headers: dict[str, SecretStr] = Field(default={}, description="Further headers sent to it.")
    series_providers: list[Literal["csv_json", "open_meteo"]] = Field(
        default=[], description="Providers of series, in the order they are asked; 'csv_json' is the endpoint below."
    )
    series_url: str | None = Field(
        default=None, description="Address of that endpoint, with {name} {entity} {start} {end} {key} as it wants them."
    )
    series_api_key: SecretStr | None = Field(
        default=None, description="Key for it; a bearer token unless the address has {key}."
    )
    series_headers: dict[str, SecretStr] = Field(default={}, description="Further headers sent to it.")
    series_format: Literal["json", "csv"] = Field(default="json", description="What it answers with.")
    series_items: str | None = Field(
        default="", description="JSON pointer to its list of points; unset: times and values are two lists."
    )
    series_time: str = Field(default="date", description="CSV column or JSON pointer of a point's time.")
    series_value: str = Field(default="value", description="CSV column or JSON pointer of a point's value.")
    series_unit: str | None = Field(default=None, description="Unit of its values.")
    open_meteo_url: str = Field(
        default="https://archive-api.open-meteo.com/v1/archive", description="Address of Open-Meteo's archive."
    )

    max_text_bytes: int = Field(default=1 << 20, ge=1, description="Longest text of a memory, bytes of UTF-8.")
    max_image_bytes: int = Field(default=20 << 20, ge=1, description="Largest picture, bytes of its file.")
    max_image_pixels: int = Field(
        default=50_000_000, ge=1, le=89_000_000, description="Largest picture, width times height."
    )
    max_metadata_bytes: int = Field(default=16 << 10, ge=2, description="Largest metadata of a memory, bytes of JSON.")
    max_batch: int = Field(default=1000, ge=1, le=10_000, description="Most items in one batch.")
    max_body_bytes: int = Field(default=32 << 20, ge=1024, description="Largest HTTP request body.")
    max_limit: int = Field(default=10_000, ge=1, description="Most hits a recall or rows a page may ask for.")
    request_ttl_hours: int = Field(default=24, ge=1, description="How long a request id is remembered.")
    grace_days: int = Field(default=7, ge=0, description="How long a soft forget can be undone.")

    write_queue: int = Field(
        default=8192, ge=16, description="Most writes waiting for the writer; beyond it callers wait."
    )
    group_commit: int = Field(default=512, ge=1, le=4096, description="Most writes in one transaction.")
    readers: int = Field(default=4, ge=1, le=64, description="Read-only connections.")
    ann_threshold: int = Field(
        default=500_000, ge=1000, description="Rows above which an HNSW graph serves unfiltered searches."
    )
    checkpoint_rows: int = Field(
        default=20_000, ge=100, description="Rows in the tails after which segments are checkpointed."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: arguments, environment, file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)
