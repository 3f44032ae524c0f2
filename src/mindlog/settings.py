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

    max_text_bytes: int = Field(default=1 << 20, ge=1, description="Longest text of a memory, bytes of UTF-8.")
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
