"""Words: VQA normalisation, number words, answer extraction, think blocks."""
