"""Tensors of DLPack made by hand."""
import ctypes


class Tensor(ctypes.Structure):
    """A DLManagedTensor of before version 1.0."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("kind", ctypes.c_int32),
        ("number", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def release(capsule):
    """What a capsule of `Capsule` does when it goes: its producer may go, too."""
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_GetContext", ctypes.pythonapi))
    ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("Py_DecRef", ctypes.pythonapi))(get(capsule))


class Capsule:
    """An array of such a shape and dtype at an address, on whatever device it says; notes the streams that it is asked
    for in."""

    def __init__(self, like, kind=1, number=0, address=None):
        self.like, self.kind, self.number = like, kind, number
        self.shape, self.dtype = like.shape, like.dtype
        self.streams = []
        code = {"i": 0, "u": 1, "f": 2}[like.dtype.kind]
        self._sizes = (ctypes.c_int64 * like.ndim)(*like.shape)
        self._tensor = Tensor(
            like.ctypes.data if address is None else address, kind, number, like.ndim, code, 8 * like.itemsize, 1,
            ctypes.cast(self._sizes, ctypes.POINTER(ctypes.c_int64)), None, 0, None, None,
        )

    def __dlpack_device__(self):
        return self.kind, self.number

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        capsule = make(ctypes.addressof(self._tensor), b"dltensor", ctypes.cast(release, ctypes.c_void_p))
        ctypes.pythonapi.PyCapsule_SetContext(ctypes.py_object(capsule), ctypes.c_void_p(id(self)))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
        return capsule


def address_of(capsule):
    """Of the memory behind a capsule, of either version."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    if '"dltensor"' in repr(capsule):
        return Tensor.from_address(get(capsule, b"dltensor")).data
    # Version (8 bytes), context, deleter and flags (8 bytes each) come before the tensor.
    return Tensor.from_address(get(capsule, b"dltensor_versioned") + 32).data
