"""How hard an item is: from a model's confidence to levels of equal size."""
