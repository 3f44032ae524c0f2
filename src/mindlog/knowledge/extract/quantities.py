"""Finds amounts of money and numbers with units. Units stay as written, currencies become ISO 4217 codes."""

from __future__ import annotations

import re
from typing import Final

from mindlog.knowledge.extraction import Quantity, Span

__all__ = ["find_quantities"]

_SIGNS = {
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₽": "RUB",
    "₩": "KRW",
    "₿": "BTC",
    "R$": "BRL",
    "US$": "USD",
}
_NAMES = {
    "usd": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "gbp": "GBP", "pounds": "GBP", "yen": "JPY", "jpy": "JPY", "inr": "INR", "rupees": "INR", "chf": "CHF", "francs": "CHF",
    "rub": "RUB", "rubles": "RUB", "cny": "CNY", "yuan": "CNY", "元": "CNY", "円": "JPY", "btc": "BTC", "cad": "CAD", "aud": "AUD",
}  # fmt: skip
_SCALE = {
    "k": 1e3,
    "m": 1e6,
    "bn": 1e9,
    "b": 1e9,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "万": 1e4,
    "亿": 1e8,
    "億": 1e8,
}
_UNITS = (
    "km/h|mph|kph|kilometers|kilometres|kilometer|kilometre|km|meters|metres|meter|metre|cm|mm|miles|mile|inches|inch|feet|ft|yards"
    "|kilograms|kilogram|kilos|kilo|kg|mg|grams|gram|lbs|lb|pounds|ounces|oz|tons|tonnes|liters|litres|liter|litre|ml|gallons"
    "|percent|per cent|%|°C|°F|degrees|kwh|kw|mw|watts|volts|hz|mhz|ghz|kb|mb|gb|tb|mib|gib|kib|ms|µs|ns"
    "|seconds|minutes|hours|days|weeks|months|years|people|users|calories|kcal|bpm|steps|pages|euros?"
)
_NUMBER = r"\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?|\d{1,15}(?:\.\d{1,6})?"
_SCALES = r"(?:\s?(?P<scale>thousand|million|billion|bn|[kmb]|万|亿|億)(?!\w))?"
_MONEY = re.compile(
    rf"(?<!\w)(?P<sign>US\$|R\$|[$€£¥₹₽₩₿])\s?(?P<amount>{_NUMBER}){_SCALES}(?![\d])"
    rf"|(?<![\w.,-])(?P<amount2>{_NUMBER})(?:\s?(?P<scale2>thousand|million|billion|bn|[kmb]|万|亿|億))?\s?"
    rf"(?P<name>[$€£¥₹₽₩]|元|円|(?:{'|'.join(sorted((n for n in _NAMES if n.isascii()), key=len, reverse=True))})(?!\w))",
    re.IGNORECASE,
)
_MEASURE = re.compile(rf"(?<![\w.,-])(?P<amount>{_NUMBER})\s?(?P<unit>{_UNITS})(?!\w)", re.IGNORECASE)
_HAS_DIGIT: Final = re.compile(r"\d")


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order; money wins over a unit of the same name."""
    if not _HAS_DIGIT.search(text):
        return ()
    money = [_money(match) for match in _MONEY.finditer(text)]
    starts = {quantity.span.start for quantity in money}
    measures = [_measure(match) for match in _MEASURE.finditer(text) if match.start() not in starts]
    return tuple(sorted([*money, *measures], key=lambda quantity: quantity.span))


def _money(match: re.Match[str]) -> Quantity:
    amount = _number(match["amount"] or match["amount2"]) * _SCALE.get(
        (match["scale"] or match["scale2"] or "").lower(), 1
    )
    sign = match["sign"] or match["name"]
    unit = _SIGNS.get(sign.upper()) or _NAMES[sign.lower()]
    return Quantity(span=Span(*match.span()), amount=amount, unit=unit, is_money=True)


def _measure(match: re.Match[str]) -> Quantity:
    return Quantity(span=Span(*match.span()), amount=_number(match["amount"]), unit=match["unit"], is_money=False)


def _number(said: str) -> float:
    return float(said.replace(",", ""))
