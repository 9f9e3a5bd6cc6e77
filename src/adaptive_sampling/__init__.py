"""Spending samples where they tell the most: a reproduction of MASA and of Elastic Batch Racing."""
