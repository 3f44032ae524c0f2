"""Small general tables that tell what a name names: given names, places, organisations and the words in their names.

They repair what shape alone cannot say and are no inventory: a name that is not here is still a name.
"""

from __future__ import annotations

from typing import Final

from mindlog.knowledge.extraction import EntityKind
from mindlog.knowledge.wordlist import wordlist

__all__ = [
    "GIVEN_NAMES",
    "NAME_KINDS",
    "ORGANIZATIONS",
    "ORGANIZATION_WORDS",
    "PLACES",
    "PLACE_WORDS",
    "TITLES",
    "WORK_WORDS",
]


GIVEN_NAMES: Final = wordlist(
    """
aaron abby abigail adam ada adrian ahmed aisha alan alba albert alejandro alex alexander alexandra alfred ali
alice alicia alina amanda amara amelia amina amir amy ana anders andrea andreas andrew andy angela anil anita
anja ann anna anne annika anthony antonio anya arjun arthur asha astrid aya ayaka barbara beatriz ben benjamin
bernd beth bill björn bob brandon brian bruno camila carl carla carlos carmen caroline catherine charles charlie
chiara chloe chris christian christina claire clara claudia colin connor craig dan dana daniel daniela dave
david deborah deepak denis diana diego dieter dmitri dmitry donald dora dorothy dylan eduardo edward elena
eleanor eli elias elif elisa elizabeth ella ellen elsa emil emily emma enrique eric erik erika esther ethan eva
evan evelyn fatima felix fernando filip fiona florian francesca francesco francis frank franz fred freya gabriel
gabriela george georgia gerd giulia giovanni grace graham greta guido gustav hana hanna hannah hans harold
harriet harry hassan heather heidi heinrich helen helena helga henrik henry hiroshi hugo ian ibrahim ida ignacio
igor ilse imran ines inês ingrid irene irina isaac isabel isabella ivan ivy jack jacob jake james jan jana jane
janet jasmine jason javier jean jennifer jenny jens jeremy jerry jessica jim joan joana joanna joão joaquín joe
joel johan johanna john jon jonas jonathan jordan jorge jose josé joseph joshua juan judith julia julian julie
jun jürgen kai karen karin karl kate katherine kathy katja keiko keith kelly ken kenji kevin kim klaus kofi
kristina kwame lars laura lauren layla lea lena leo leon leonardo leticia lewis liam lily lina linda lisa liu
lorenzo louis louise lucas lucía lucia lucy luis luisa lukas luke lydia maeve magda magnus mai malik manuel
marco marcus margaret maria maría marie marina mario mark marta martha martin mary mateo matilda matteo matthew
maurice max maya mei melissa mia michael michelle miguel mike mila milan mina miriam mohamed mohammed molly mona
monica monika nadia nancy naomi natalia natalie natasha nathan neha nia nicholas nick nicola nicolas nico
nikolai nina noah nora oksana olaf oleg olga oliver olivia omar oscar otto pablo paola patricia patrick paul
paula pedro peter petra philip pia pierre pilar piotr priya quentin rachel rafael rahul raj ralph raquel ravi
rebecca renata rené ricardo richard rita rob robert roberta rohan roland roman ron rosa rosalind rose ruben ruth
ryan sabine sakura sally sam samir samuel sandra sanjay sara sarah scott sean sebastian sergei sergio shirin
simon sofia sofía sonia sophia sophie stefan stella stephanie stephen steve steven sue susan suresh susanne sven
svetlana sylvia takashi tamara tanya tara tariq ted teresa theo theresa thomas tim tina tobias tom tomás tony
ulrich ursula uwe valentina vanessa vera veronica victor victoria vijay vikram viktor vincent viola vivian
vladimir walter wei wendy werner will william wolfgang xavier yara yasmin yuki yusuf yves zara zoe zoë
"""
)

PLACES: Final = wordlist(
    """
africa asia europe america antarctica australia scandinavia afghanistan albania algeria angola argentina armenia
austria azerbaijan bangladesh belarus belgium bolivia bosnia botswana brazil bulgaria cambodia cameroon canada
chile china colombia croatia cuba cyprus czechia denmark ecuador egypt england estonia ethiopia finland france
georgia germany ghana greece greenland guatemala haiti honduras hungary iceland india indonesia iran iraq
ireland israel italy jamaica japan jordan kazakhstan kenya korea kosovo kuwait laos latvia lebanon libya
lithuania luxembourg malaysia mali malta mexico moldova mongolia montenegro morocco mozambique myanmar namibia
nepal netherlands nicaragua niger nigeria norway oman pakistan panama paraguay peru philippines poland portugal
qatar romania russia rwanda scotland senegal serbia singapore slovakia slovenia somalia spain sudan sweden
switzerland syria taiwan tanzania thailand tunisia turkey türkiye uganda ukraine uruguay uzbekistan venezuela
vietnam wales yemen zambia zimbabwe usa uk uae alemania españa francia méxico perú brasil deutschland österreich
schweiz italia japón aarhus amsterdam ankara antwerp athens atlanta auckland austin baghdad bali baltimore
bangalore bangkok barcelona basel bavaria beijing beirut belfast belgrade bergen berlin bern bilbao bogotá
bologna bonn bordeaux boston bratislava brisbane bristol brooklyn brussels bucharest budapest cairo california
cambridge caracas chengdu chennai chicago coimbra cologne copenhagen córdoba cork dakar dallas damascus delhi
denver detroit dresden dubai dublin düsseldorf edinburgh faro flensburg florence florida frankfurt galway geneva
genoa ghent glasgow graz guadalajara hamburg hanoi havana hawaii helsinki houston hyderabad istanbul jakarta
jerusalem johannesburg kabul karachi kathmandu kiev kobe kolkata krakow kraków kuala kyiv kyoto lagos leeds
leicester leipzig lille lima linz lisbon lisboa liverpool ljubljana london lviv lyon madrid málaga manchester
manhattan manila marrakesh marseille medellín melbourne miami milan minneapolis minsk montreal moscow mumbai
munich münchen nairobi nantes naples new-york nice oakland odessa osaka oslo ottawa oxford palermo paris perth
philadelphia phoenix pisa pittsburgh porto prague pune quebec quito reykjavik riga rome rotterdam salzburg
santiago sapporo sarajevo seattle seoul seville sevilla shanghai shenzhen sicily sofia stockholm stuttgart
sydney taipei tallinn tbilisi tehran texas tirana tokyo toronto toulouse turin utrecht valencia vancouver venice
verona vienna wien vilnius warsaw wellington yerevan yokohama zagreb zaragoza zurich zürich
"""
)

PLACE_WORDS: Final = wordlist(
    """
street avenue road lane square park river lake mount mountain mountains island islands bay beach valley city
county district airport station bridge castle cathedral harbor harbour forest desert ocean sea peninsula village
calle plaza straße platz rue
"""
)
"""A name that ends (or begins: Lake, Mount) with one of these is a place."""

ORGANIZATIONS: Final = wordlist(
    """
google microsoft apple amazon facebook meta netflix tesla ibm intel nvidia oracle siemens bosch nokia ericsson
samsung sony toyota honda volkswagen bmw boeing airbus nasa esa unesco unicef who nato eu un mit ibm openai
github gitlab spotify uber airbnb stripe paypal visa shell basf bayer sap ikea lego philips zalando telefónica
huawei alibaba tencent
"""
)
ORGANIZATION_WORDS: Final = wordlist(
    """
inc corp corporation ltd limited gmbh llc plc ag company co group holdings university universidad universität
université college institute school academy hospital clinic bank foundation ministry council committee agency
association society labs laboratory laboratories systems technologies technology software airlines press club
union studios partners consulting capital ventures orchestra bakery
"""
)
"""A name that has one of these at an end is an organisation."""

WORK_WORDS: Final = wordlist("act treaty bible quran symphony")

TITLES: Final = wordlist(
    """
mr mrs ms miss dr prof professor sir madam lady lord captain president chancellor senator judge sergeant colonel
king queen prince princess pope herr frau señor señora señorita don doña monsieur madame
"""
)
"""A word before a person's name, without its full stop."""

NAME_KINDS: Final = {
    **dict.fromkeys(GIVEN_NAMES, EntityKind.PERSON),
    **dict.fromkeys(ORGANIZATIONS, EntityKind.ORGANIZATION),
    **dict.fromkeys(PLACES - GIVEN_NAMES, EntityKind.PLACE),
}
