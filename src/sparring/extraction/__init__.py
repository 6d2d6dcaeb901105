"""What was said: which goals were asked and answered, which values were stated, and with which words."""
