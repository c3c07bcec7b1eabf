"""What a kernel may ask about its target; here the active one answers."""

__tegula_name__ = "triton.language.target_info"


def current_target():
    """The target that launches without arrays would have."""
    from ..runtime.driver import driver

    return driver.active.get_current_target()


def _asks(name, answer):
    answer.__name__ = answer.__qualname__ = name
    answer.__tegula_name__ = f"triton.language.target_info.{name}"
    return answer


is_cuda = _asks("is_cuda", lambda: current_target().backend == "cuda")
is_hip = _asks("is_hip", lambda: False)
is_hip_cdna3 = _asks("is_hip_cdna3", lambda: False)
is_hip_cdna4 = _asks("is_hip_cdna4", lambda: False)
is_hip_gfx1250 = _asks("is_hip_gfx1250", lambda: False)
cuda_capability_geq = _asks("cuda_capability_geq", lambda major, minor=0: is_cuda() and current_target().arch >= 10 * major + minor)
