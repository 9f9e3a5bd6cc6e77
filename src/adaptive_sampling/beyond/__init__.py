"""Beyond the paper: samplers that know the old predictions, a rule that stops, intervals and detection."""
