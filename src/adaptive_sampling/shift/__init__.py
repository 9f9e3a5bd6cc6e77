"""MASA: estimating the shift of a confusion matrix by adaptive stratified sampling."""
