"""From recorded predictions to replay tables."""
