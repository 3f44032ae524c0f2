"""Sentences of many kinds, for comparing a model with its float32 reference."""

SENTENCES = (
    "Priya moved the weekly sync to Thursday at nine.",
    "The deployment failed with ERR-7F3A-99 after the second retry.",
    "I adopted a grey cat named Miso from the shelter last weekend.",
    "Our flight to Lisbon leaves at 6:40 on the 3rd of May.",
    "Can you remind me what the doctor said about my knee?",
    "def area(radius: float) -> float: return 3.14159 * radius ** 2",
    "The quarterly revenue rose by 12.5 percent to 4.1 million euros.",
    "Mix two cups of flour with a pinch of salt and rest the dough for an hour.",
    "She said she would never go back to that restaurant.",
    "Das Treffen wurde auf nächsten Dienstag verschoben.",
    "El perro duerme debajo de la mesa de la cocina.",
    "会議は木曜日に延期されました。",
    "ok",
    "What time is it?",
    "The old lighthouse keeper climbed the spiral stairs every evening, counting each step as he had done for years, "
    "and lit the lamp before the first fishing boats turned home.",
    "SELECT id, text FROM memories WHERE dataset = 'default' ORDER BY lsn DESC LIMIT 10;",
    "https://example.org/docs/setup?version=2.1#install",
    "Grandma's recipe needs more cinnamon, less sugar and a lot of patience!",
    "Photosynthesis converts light energy into chemical energy stored in glucose.",
    "He plays the cello in the city orchestra and teaches on Mondays.",
    "My password manager stopped syncing after the update on my phone.",
    "They painted the nursery yellow because they wanted to be surprised.",
    "The treaty was signed in 1648 and ended thirty years of war.",
    "😀 great news: we won the hackathon!!!",
)
