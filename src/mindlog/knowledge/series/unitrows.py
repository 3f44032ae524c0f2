"""The table of units: symbol | base | factor to it | offset | spellings. Tables only; `units` gives them meaning.

An empty base is the unit itself. Spellings are separated by commas.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CURRENCIES", "MONEY_SIGNS", "SCALES", "UNIT_ROWS"]

UNIT_ROWS: Final = {
    "ratio": """
%||||percent,per cent,pct,Prozent,pour cent,por ciento
‰|%|1/10||per mille,permille,Promille
bp|%|1/100||bps,basis points,basis point
""",
    # Points are differences between percentages, and ppm is what chemists call a concentration: neither is a share.
    "percentage points": """
pp||||percentage points,percentage point,Prozentpunkte,p.p.
""",
    "temperature": """
°C||||℃,° C,ºC,degC,deg C,degrees Celsius,degree Celsius,degrees C,Grad Celsius,C,Celsius,degrés Celsius
°F|°C|5/9|-160/9|℉,° F,ºF,degF,deg F,degrees Fahrenheit,degree Fahrenheit,degrees F,F,Fahrenheit
K|°C|1|-5463/20|kelvin,kelvins
""",
    "angle": """
°||||degrees,degree,Grad
""",
    "length": """
mm|m|1/1000||millimetres,millimeters,millimetre,millimeter
cm|m|1/100||centimetres,centimeters,centimetre,centimeter
m||||metres,meters,metre,meter,Meter
km|m|1000||kilometres,kilometers,kilometre,kilometer,Kilometer,kms
in|m|127/5000||inches,inch
ft|m|381/1250||feet,foot
yd|m|1143/1250||yards,yard
mi|m|201168/125||miles,mile
nmi|m|1852||nautical miles,nautical mile
""",
    "area": """
m²||||m2,sqm,sq m,square metres,square meters
ha|m²|10000||hectares,hectare,Hektar
km²|m²|1000000||km2,sq km,square kilometres,square kilometers
acre|m²|316160658/78125||acres
ft²|m²|145161/1562500||sq ft,sqft,ft2,square feet
""",
    "volume": """
ml|l|1/1000||mL,millilitres,milliliters,millilitre,milliliter
cl|l|1/100||cL
l||||L,litres,liters,litre,liter,Liter
m³|l|1000||m3,cubic metres,cubic meters
gal||||gallons,gallon
bbl||||barrels,barrel
""",
    "mass": """
µg|kg|1/1000000000||mcg,micrograms
mg|kg|1/1000000||milligrams,milligram
g|kg|1/1000||grams,gram,Gramm
kg||||kilograms,kilogram,kilos,kilo,kgs,Kilogramm
t|kg|1000||tonnes,tonne,metric tons,Tonnen
lb|kg|45359237/100000000||lbs
oz|kg|45359237/1600000000||ounces,ounce
ton||||tons
""",
    # Of mass to some and of money to others; it converts to neither.
    "pounds": """
pound||||pounds
""",
    "duration": """
ms|s|1/1000||milliseconds,millisecond,msec
s||||seconds,second,sec,secs,Sekunden
min|s|60||minutes,minute,mins,Minuten
h|s|3600||hours,hour,hrs,hr,Stunden
d|s|86400||days,day,Tage,Tagen
wk|s|604800||weeks,week,Wochen
mo||||months,month,Monate
yr||||years,year,Jahre
""",
    "speed": """
m/s||||metres per second,meters per second
km/h|m/s|5/18||kmh,kph,kilometres per hour,kilometers per hour
mph|m/s|1397/3125||miles per hour,mi/h
kn|m/s|463/900||knots,knot
""",
    "energy": """
J||||joules,joule
kJ|J|1000||kilojoules
MJ|J|1000000||megajoules
kcal|J|4184||kilocalories
Wh|J|3600||watt hours,watt-hours
kWh|J|3600000||kilowatt hours,kilowatt-hours
MWh|J|3600000000||megawatt hours
GWh|J|3600000000000||gigawatt hours
TWh|J|3600000000000000||terawatt hours
""",
    "power": """
W||||watts,watt
kW|W|1000||kilowatts,kilowatt
MW|W|1000000||megawatts,megawatt
GW|W|1000000000||gigawatts,gigawatt
hp||||horsepower
""",
    "pressure": """
Pa||||pascals
hPa|Pa|100||mbar,millibar
kPa|Pa|1000||kilopascals
MPa|Pa|1000000||megapascals
bar|Pa|100000||bars
atm|Pa|101325||atmospheres
psi||||
mmHg||||mm Hg
""",
    "frequency": """
Hz||||hertz
kHz|Hz|1000||kilohertz
MHz|Hz|1000000||megahertz
GHz|Hz|1000000000||gigahertz
""",
    "heart rate": """
bpm||||beats per minute
""",
    "voltage": """
V||||volts,volt
mV|V|1/1000||millivolts
""",
    "current": """
A||||amps,amperes
mA|A|1/1000||milliamps
""",
    "data": """
B||||bytes
kB|B|1000||KB,kilobytes
MB|B|1000000||megabytes
GB|B|1000000000||gigabytes
TB|B|1000000000000||terabytes
KiB|B|1024||kibibytes
MiB|B|1048576||mebibytes
GiB|B|1073741824||gibibytes
TiB|B|1099511627776||tebibytes
""",
    "data rate": """
kbit/s|Mbit/s|1/1000||kbps
Mbit/s||||Mbps,Mb/s
Gbit/s|Mbit/s|1000||Gbps,Gb/s
""",
    "concentration": """
ppm||||parts per million
ppb|ppm|1/1000||parts per billion
µg/m³||||µg/m3,ug/m3
mg/dL||||mg/dl
mmol/L||||mmol/l
mg/L||||mg/l
g/L|mg/L|1000||g/l
""",
    "sound": """
dB||||decibels,decibel
""",
    "emission": """
g/km||||
""",
}

CURRENCIES: Final = {
    "USD": "dollars,dollar,US dollars,US dollar,Dollar",
    "EUR": "euros,euro,Euro",
    "GBP": "pounds sterling,British pounds",
    "JPY": "yen",
    "CHF": "Swiss francs,francs,Franken",
    "CNY": "yuan,renminbi",
    "INR": "rupees,rupee",
    "RUB": "rubles,roubles",
    "KRW": "won",
    "BRL": "reais",
    "CAD": "",
    "AUD": "",
    "NZD": "",
    "SEK": "",
    "NOK": "",
    "DKK": "",
    "PLN": "",
    "CZK": "",
    "HUF": "",
    "TRY": "",
    "MXN": "",
    "ZAR": "",
    "SGD": "",
    "HKD": "",
    "BTC": "bitcoins",
}
MONEY_SIGNS: Final = {
    "US$": "USD",
    "C$": "CAD",
    "A$": "AUD",
    "R$": "BRL",
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₽": "RUB",
    "₩": "KRW",
    "₿": "BTC",
}

SCALES: Final = {
    "k": 3,
    "K": 3,
    "M": 6,
    "m": 6,
    "B": 9,
    "b": 9,
    "T": 12,
    "bn": 9,
    "mn": 6,
    "tn": 12,
    "thousand": 3,
    "thousands": 3,
    "million": 6,
    "millions": 6,
    "billion": 9,
    "billions": 9,
    "trillion": 12,
    "trillions": 12,
    "lakh": 5,
    "crore": 7,
    "tsd": 3,
    "mio": 6,
    "mrd": 9,
    "tausend": 3,
    "millionen": 6,
    "milliarden": 9,
    "milliarde": 9,
    "mille": 3,
    "mil": 3,
    "milliers": 3,
    "milliard": 9,
    "milliards": 9,
    "mln": 6,
    "mlrd": 9,
    "millones": 6,
    "тыс": 3,
    "млн": 6,
    "млрд": 9,
    "万": 4,
    "亿": 8,
    "億": 8,
}
"""Powers of ten by the words and letters for them. A one-letter one stands close to its number ("3.1M") or after money."""
