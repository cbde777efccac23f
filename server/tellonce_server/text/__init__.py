"""What a text is made of, whatever it says: tokens, stems, word classes, marks, secrets; pure."""
