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
aaron abby abigail ada adam adrian ahmed aiden aisha alan alba albert alejandro alex alexander alexandra alfred ali
alice alicia alina alma amanda amara amber amelia amina amir amy ana anders andrea andreas andrew andy angela angelica
angus anil anita anja ann anna anne annika anthony antonio anya arjun arlo arnold arthur arya asha ashlee ashley
astrid audrey ava aya ayaka barbara beatriz ben benjamin benny bernard bernd beth beverly bill björn blake bob bonnie
brad bradley brandon brenda brent brett brian bridget brooke bruce bruno bryan caleb calvin cameron camila candace
carl carla carlos carmela carmen caroline carrie cassandra catherine cecilia cedric celeste chad charles charlie
chelsea cheryl chiara chloe chris christian christina cindy claire clara clarence clark claudia clifford cody colin
connor corey courtney craig crystal curtis cynthia daisy dale damian dan dana daniel daniela danielle danny daphne
darius darlene darren darryl dave david dawn dean debbie deborah deepak delia denis denise dennis derek desmond diana
diane diego dieter dmitri dmitry dominic donald dora doris dorothy douglas duncan dustin dwight dylan edgar edith
eduardo edward edwin eileen elaine eleanor elena eli elias elif elisa elise elizabeth ella ellen ellie elliot elliott
eloise elsa elsie emil emily emma emmett enrique eric erik erika erin ernest estelle esther ethan eugene eva evan
evelyn farah fatima felicia felix fernanda fernando filip fiona florian floyd frances francesca francesco francis
frank franz fred frederick freya gabriel gabriela garrett gary gavin gemma george georgia gerald gerd gilbert gina
ginny giovanni giselle giulia glenn gloria gordon grace graham greg gregory greta guido gustav gwen hailey hamza hana
hank hanna hannah hans harold harper harriet harry harvey hassan hayley hazel heather hector heidi heinrich helen
helena helga henrietta henrik henry herbert hiroshi holly homer howard hugo ian ibrahim ida ignacio igor ilse imani
imran ines inês ingrid irene irina irving isaac isabel isabella isla ivan ivy jack jackie jacob jade jaime jake james
jan jana jane janet jared jasmine jason jasper javier jay jean jeff jeffrey jen jennifer jenny jens jeremiah jeremy
jerome jerry jesse jessica jill jim jimmy jo joan joana joanna joanne joaquín joão jodie joe joel johan johanna john
johnny jon jonas jonathan jordan jorge jose joseph josephine josé josh joshua joyce juan judith judy julia julian
julie julius jun justin jürgen kai kara karen karin karl karla kate katherine kathy katja kayla keiko keira keith
kelly kelsey ken kenji kenneth kenny kent kevin kim kimberly kirsten klaus kofi krista kristen kristin kristina kurt
kwame kyle larry lars laura lauren layla lea leah leila lena leo leon leonardo leroy leslie lester leticia lewis liam
lillian lily lina linda lisa liu logan lois lola lorenzo lorraine louis louisa louise lucas lucia lucille lucía lucy
luis luisa lukas luke lydia lynn mabel maeve magda maggie magnus mai malcolm malik manuel marcel marcia marco marcus
margaret maria marian marie marilyn marina mario maría marjorie mark marlene marta martha martin marvin mary mateo
matilda matt matteo matthew maurice max maya mei mel melanie melinda melissa melvin meredith mia michael michele
michelle mickey miguel mike mila milan mildred mina miranda miriam mitchell mohamed mohammad mohammed molly mona
monica monika morgan muhammad myra nadia nadine nancy naomi natalia natalie natasha nate nathan nathaniel ned neha
neil nia nicholas nick nico nicola nicolas nicole nigel nikita nikolai nina noah noel nora norma norman oksana olaf
oleg olga oliver olivia omar oscar otto pablo pam pamela paola patricia patrick patsy paul paula pedro peggy penelope
pete peter petra phil philip phillip phoebe pia pierre pilar piotr polly priscilla priya quentin quinn rachel rafael
rahul raj ralph ramona randall randy raquel ravi raymond rebecca regina reginald renata rené rhonda ricardo richard
ricky riley rita rob robert roberta robin rodney roger rohan roland roman ron rory rosa rosalind rose rosie ross
roxanne roy ruben russell ruth ryan sabine sabrina sadie sakura sally salma sam samir samuel sandra sanjay sara sarah
sasha scott sean sebastian selena serena sergei sergio seth shane shannon sharon shaun shawn sheila shelley shirin
shirley sid sidney sienna silas simon sofia sofía sonia sophia sophie spencer stacey stanley stefan stella stephanie
stephen steve steven stuart sue suresh susan susanne sven svetlana sylvia tabitha takashi tamara tammy tanya tara
tariq tatiana taylor ted terence teresa terri terry tessa theo theresa thomas tiffany tim timothy tina tobias todd tom
tomás tony tracy travis trevor tristan troy tyler ulrich ursula uwe valentina valerie vanessa vera vernon veronica
vicky victor victoria vijay vikram viktor vincent viola vivian vladimir wallace walter wanda warren wayne wei wendy
werner wesley whitney will william wilma wolfgang xavier yara yasmin yolanda yuki yusuf yves yvette yvonne zachary
zack zara zoe zoey zoë
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
