"""What stands around kernels."""
