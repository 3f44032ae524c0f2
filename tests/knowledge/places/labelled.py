"""Names in their texts and the place that is meant: (name, text, kind, country, region, near latitude and longitude).

Country None: nobody could say from the text, so a sure answer is wrong.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    name: str
    text: str
    kind: str = "city"
    country: str | None = None
    region: str | None = None
    known: tuple[tuple[str, float, float], ...] = ()


def doubtful(name: str, text: str = "") -> Case:
    return Case(name, text or f"They moved to {name} last year.")


ILLINOIS = (("Peoria", 40.69, -89.59), ("Decatur", 39.84, -88.95), ("Bloomington", 40.48, -88.99))
TEXAS = (("Dallas", 32.78, -96.81), ("Fort Worth", 32.73, -97.32))

CASES = [
    # Said right after the name.
    Case("Paris", "She was born in Paris, Texas.", "city", "US", "Texas"),
    Case("Paris", "The fair in Paris, TX was small.", "city", "US", "Texas"),
    Case("Paris", "The fair in Paris (Ontario) was small.", "city", "CA", "Ontario"),
    Case("Paris", "We spent a week in Paris in France.", "city", "FR", "Île-de-France"),
    Case("Springfield", "Abe lived in Springfield, Illinois.", "city", "US", "Illinois"),
    Case("Springfield", "Abe lived in Springfield, Sangamon County, Illinois.", "city", "US", "Illinois"),
    Case("Springfield", "The office is in Springfield, MA.", "city", "US", "Massachusetts"),
    Case("Portland", "Our shop in Portland, Maine, opened.", "city", "US", "Maine"),
    Case("London", "He studies in London, Ontario.", "city", "CA", "Ontario"),
    Case("Athens", "The band comes from Athens, Georgia.", "city", "US", "Georgia"),
    Case("Athens", "The band comes from Athens, Greece.", "city", "GR"),
    Case("Cambridge", "The lab is in Cambridge, Massachusetts.", "city", "US", "Massachusetts"),
    Case("Cambridge", "The lab is in Cambridge, England.", "city", "GB", "England"),
    Case("Birmingham", "A factory in Birmingham, Alabama, closed.", "city", "US", "Alabama"),
    Case("San José", "The bus goes to San José, Costa Rica.", "city", "CR"),
    Case("San Jose", "The office in San Jose, California, is new.", "city", "US", "California"),
    Case("Valencia", "Oranges from Valencia, Spain.", "city", "ES"),
    Case("Valencia", "Oranges from Valencia, Venezuela.", "city", "VE"),
    Case("Georgia", "They toured Georgia, USA.", "region", "US", "Georgia"),
    Case("Santiago", "Wine from Santiago, Chile.", "city", "CL"),
    Case("Vancouver", "A bridge in Vancouver, Washington.", "city", "US", "Washington"),
    Case("Moscow", "The university in Moscow, Idaho.", "city", "US", "Idaho"),
    Case("Melbourne", "A launch near Melbourne, Florida.", "city", "US", "Florida"),
    Case("Frankfurt", "The train to Frankfurt (Oder), Brandenburg, is late.", "city", "DE"),
    Case("Toledo", "A sword from Toledo, Spain.", "city", "ES"),
    Case("Freiburg", "Freiburg in Baden-Württemberg ist warm.", "city", "DE", "Baden-Wurttemberg"),
    # Named elsewhere in the text.
    Case("Birmingham", "Alabama has changed. Birmingham most of all.", "city", "US", "Alabama"),
    Case("Córdoba", "En España visitamos la mezquita de Córdoba.", "city", "ES"),
    Case("Cambridge", "Massachusetts is cold; in Cambridge it snowed.", "city", "US", "Massachusetts"),
    Case("Georgia", "The state of Georgia grows peaches.", "region", "US", "Georgia"),
    Case("Georgia", "The country of Georgia makes wine in Tbilisi.", "country", "GE"),
    Case("Georgia", "From Tbilisi we drove through Georgia.", "country", "GE"),
    Case("Georgia", "From Atlanta we drove through Georgia.", "region", "US", "Georgia"),
    Case("Springfield", "In Illinois they met in Springfield.", "city", "US", "Illinois"),
    Case("Victoria", "From Vancouver we took the ferry to Victoria, British Columbia.", "city", "CA"),
    Case("Washington", "Washington State has many ferries.", "region", "US", "Washington"),
    Case("Washington State", "Washington State has many ferries.", "region", "US", "Washington"),
    Case("Punjab", "In Pakistan, Punjab is the largest province.", "region", "PK"),
    Case("Limburg", "In the Netherlands, Limburg is the only hilly province.", "region", "NL"),
    # The dataset's other places.
    Case("Springfield", "They met in Springfield.", "city", "US", "Illinois", ILLINOIS),
    Case("Bloomington", "They met in Bloomington.", "city", "US", "Illinois", ILLINOIS),
    Case("Valencia", "They met in Valencia.", "city", "ES", None, (("Valencia", 39.47, -0.38),)),
    Case("Córdoba", "They met in Córdoba.", "city", "ES", None, (("Sevilla", 37.39, -5.98), ("Granada", 37.18, -3.6))),
    # By people alone.
    Case("Paris", "She was born in Paris.", "city", "FR"),
    Case("London", "She was born in London.", "city", "GB"),
    Case("Berlin", "She was born in Berlin.", "city", "DE"),
    Case("Munich", "She was born in Munich.", "city", "DE"),
    Case("München", "Sie wurde in München geboren.", "city", "DE"),
    Case("Мюнхен", "Она родилась в Мюнхен.", "city", "DE"),
    Case("東京", "東京に住んでいます。", "city", "JP"),
    Case("القاهرة", "ولدت في القاهرة", "city", "EG"),
    Case("Ἀθῆναι", "Ἀθῆναι", "city", "GR"),
    Case("Αθήνα", "Γεννήθηκε στην Αθήνα.", "city", "GR"),
    Case("서울", "서울 에서 만났다", "city", "KR"),
    Case("दिल्ली", "वह दिल्ली में रहती है।", "city", "IN"),
    Case("Bombay", "She was born in Bombay.", "city", "IN"),
    Case("New York", "She was born in New York.", "city", "US", "New York"),
    Case("NYC", "She was born in NYC.", "city", "US", "New York"),
    Case("Mexico City", "She was born in Mexico City.", "city", "MX"),
    Case("Mexico", "She was born in Mexico.", "country", "MX"),
    Case("Luxembourg", "She was born in Luxembourg.", "country", "LU"),
    Case("California", "She was born in California.", "region", "US", "California"),
    Case("Texas", "She was born in Texas.", "region", "US", "Texas"),
    Case("Bayern", "Sie kommt aus Bayern.", "region", "DE", "Bavaria"),
    Case("Deutschland", "Sie kommt aus Deutschland.", "country", "DE"),
    Case("the Netherlands", "He is from the Netherlands.", "country", "NL"),
    Case("UK", "He is from the UK.", "country", "GB"),
    Case("U.S.", "He is from the U.S.", "country", "US"),
    Case("Россия", "Россия", "country", "RU"),
    Case("日本", "日本", "country", "JP"),
    Case("Europe", "He travelled through Europe.", "continent", ""),
    Case("Scotland", "He travelled through Scotland.", "region", "GB", "Scotland"),
    Case("St. Louis", "He travelled to St. Louis.", "city", "US", "Missouri"),
    Case("Łódź", "Pojechał do Łódź.", "city", "PL"),
    Case("Zürich", "Er wohnt in Zürich.", "city", "CH"),
    # Nobody could say.
    doubtful("Springfield"),
    doubtful("Georgia"),
    doubtful("San José"),
    doubtful("Valencia"),
    doubtful("Cambridge"),
    doubtful("Washington"),
    doubtful("Punjab"),
    doubtful("San Francisco de Nowhere"),
    doubtful("Central"),
    doubtful("Santa Rosa"),
    doubtful("Victoria Falls Street"),
    doubtful("Paris", "She was born in Paris, Germany."),
    doubtful("Newport"),
    doubtful("Richmond"),
    doubtful("Guadalupe"),
]

# Written before any output on them was seen, unlike CASES, which the weights were tuned with. One rule came after them:
# that a city and the region around it are one name (Kiev).
UNSEEN = [
    Case("Manchester", "We drove up to Manchester, New Hampshire, for the primaries.", "city", "US", "New Hampshire"),
    Case("Manchester", "The football in Manchester was great.", "city", "GB"),
    Case("Naples", "My grandparents retired to Naples, FL.", "city", "US", "Florida"),
    Case("Naples", "The pizza in Naples is the best.", "city", "IT"),
    Case("Rome", "A weekend in Rome, Italy.", "city", "IT"),
    Case("Rome", "A factory in Rome, New York, made cutlery.", "city", "US", "New York"),
    Case("Dublin", "The startup is based in Dublin, Ohio.", "city", "US", "Ohio"),
    Case("Dublin", "She flew from Dublin to Rome.", "city", "IE"),
    Case("Halifax", "The ship left Halifax, Nova Scotia, at dawn.", "city", "CA", "Nova Scotia"),
    Case("Perth", "Flying from Sydney to Perth takes five hours across Australia.", "city", "AU"),
    Case("Perth", "The castle near Perth, Scotland.", "city", "GB", "Scotland"),
    Case("Hyderabad", "Pakistan's heatwave hit Hyderabad hardest.", "city", "PK"),
    Case("Hyderabad", "The campus in Hyderabad, India.", "city", "IN"),
    Case("Tripoli", "Lebanon: a protest in Tripoli.", "city", "LB"),
    Case("Alexandria", "The library of Alexandria in Egypt.", "city", "EG"),
    Case("Alexandria", "Our house in Alexandria, Virginia.", "city", "US", "Virginia"),
    Case("Wellington", "The parliament in Wellington.", "city", "NZ"),
    Case("Kyiv", "Trains to Kyiv are running.", "city", "UA"),
    Case("Kiev", "Trains to Kiev are running.", "city", "UA"),
    Case("Киев", "Поезд в Киев.", "city", "UA"),
    Case("Köln", "Der Dom in Köln.", "city", "DE"),
    Case("Cologne", "The cathedral in Cologne.", "city", "DE"),
    Case("Genève", "Une réunion à Genève.", "city", "CH"),
    Case("Hanover", "The trade fair in Hanover.", "city", "DE"),
    Case("Nürnberg", "Der Markt in Nürnberg.", "city", "DE"),
    Case("Firenze", "Gli Uffizi a Firenze.", "city", "IT"),
    Case("北京", "我在北京工作。", "city", "CN"),
    Case("Tokio", "Letztes Jahr waren wir in Tokio.", "city", "JP"),
    Case("Espagne", "Nous partons en Espagne.", "country", "ES"),
    Case("Ontario", "The lakes of Ontario.", "region", "CA", "Ontario"),
    Case("Bavaria", "A castle in Bavaria.", "region", "DE", "Bavaria"),
    Case("Tuscany", "A villa in Tuscany.", "region", "IT", "Tuscany"),
    Case("Singapore", "Our office in Singapore.", "country", "SG"),
    Case("Quebec", "The parliament of the province of Quebec.", "region", "CA", "Quebec"),
    Case("Jordan", "We hiked in Jordan near Petra.", "country", "JO"),
    Case("Turkey", "A flight to Turkey.", "country", "TR"),
    Case("Lima", "A museum in Lima, Peru.", "city", "PE"),
    Case("Lima", "The tank plant in Lima, Ohio.", "city", "US", "Ohio"),
    Case("Granada", "The volcano close to Granada, Nicaragua.", "city", "NI"),
    Case("Granada", "From Málaga we went to Granada.", "city", "ES"),
    Case("Cartagena", "The walls of Cartagena in Colombia.", "city", "CO"),
    Case("León", "In Mexiko, in León, werden Schuhe gemacht.", "city", "MX"),
    Case("Newcastle", "Sydney is two hours from Newcastle, New South Wales.", "city", "AU", "New South Wales"),
    Case("Hamilton", "She works at the steel mill in Hamilton, Ontario.", "city", "CA", "Ontario"),
    Case("Salem", "The witch trials of Salem, Massachusetts.", "city", "US", "Massachusetts"),
    Case("Aurora", "The store in Aurora, Colorado.", "city", "US", "Colorado"),
    Case("Seattle", "It rained in Seattle.", "city", "US", "Washington"),
    Case("Siegburg", "Der Bahnhof in Siegburg, Deutschland.", "city", "DE"),
    Case("Arlington", "They met in Arlington.", "city", "US", "Texas", TEXAS),
    Case("Columbus", "They met in Columbus.", "city", "US", "Ohio"),
    doubtful("Kingston"),
    doubtful("Santa Cruz"),
    doubtful("Burlington"),
    doubtful("Trinidad"),
    doubtful("Clinton"),
    doubtful("Limburg"),
    doubtful("Franklin"),
    doubtful("La Paz", "A house in La Paz, Kenya."),
    doubtful("Merida"),
    doubtful("Guadalajara Grill"),
]
