"""The languages a simulated user can be told to speak, and the word that ends a list in some of them."""

# fmt: off
NAMES = [
    "Afrikaans", "Albanian", "Amharic", "Arabic", "Armenian", "Azerbaijani", "Basque", "Belarusian", "Bengali",
    "Bosnian", "Bulgarian", "Catalan", "Chinese", "Chinese (Simplified)", "Chinese (Traditional)", "Croatian",
    "Czech", "Danish", "Dutch", "English", "Estonian", "Filipino", "Finnish", "French", "Galician", "Georgian",
    "German", "Greek", "Gujarati", "Hausa", "Hebrew", "Hindi", "Hungarian", "Icelandic", "Indonesian", "Irish",
    "Italian", "Japanese", "Kannada", "Kazakh", "Korean", "Latvian", "Lithuanian", "Macedonian", "Malay",
    "Malayalam", "Marathi", "Nepali", "Norwegian", "Persian", "Polish", "Portuguese", "Punjabi", "Romanian",
    "Russian", "Serbian", "Slovak", "Slovenian", "Spanish", "Swahili", "Swedish", "Tamil", "Telugu", "Thai",
    "Turkish", "Ukrainian", "Urdu", "Uzbek", "Vietnamese", "Welsh", "Zulu",
]

_AND = {
    "Catalan": "i", "Dutch": "en", "English": "and", "French": "et", "Galician": "e", "German": "und",
    "Italian": "e", "Polish": "i", "Portuguese": "e", "Russian": "и", "Spanish": "y", "Ukrainian": "і",
}
# fmt: on


def conjunction(language: str) -> str:
    """What stands before the last of several things; nothing where we do not know the word."""
    return _AND.get(language, "")
