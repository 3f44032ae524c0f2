"""Pictures: what they are, when and where they were taken, a thumbnail, the text in them, a caption, and all of it as one text.

Knows no store and no HTTP. Pillow (`mindlog[images]`) is imported when the first picture is read, the reader of texts
(`mindlog[ocr]`) with the first one it reads.
"""
