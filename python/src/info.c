/* What Python is told of an array: RuntimeArrayInfo, and what runtime/arrays.py makes of its address and type. */

#include "native.h"

static PyTypeObject *info_type;

static PyStructSequence_Field info_fields[] = {
    {"framework", "numpy, cupy, torch, jax or dlpack"},
    {"device", "cpu, cuda or xpu"},
    {"device_index", "the number of the device"},
    {"dtype_name", "the element type"},
    {"c_contiguous", "whether the elements lie in C order without gaps"},
    {NULL, NULL},
};

static PyStructSequence_Desc info_desc = {"tegula.RuntimeArrayInfo", "What a launch sees of an array.", info_fields, 5};

int tg_add_arrays(PyObject *module) {
    info_type = PyStructSequence_NewType(&info_desc);
    return info_type == NULL ? -1 : PyModule_AddObjectRef(module, "RuntimeArrayInfo", (PyObject *)info_type);
}

static const char *device_name(int32_t device) { return device == DL_CPU ? "cpu" : device == DL_CUDA ? "cuda" : device == DL_ONEAPI ? "xpu" : "other"; }

PyObject *tg_array_arg_info(PyObject *self, PyObject *value) {
    static const char *const frameworks[] = {"numpy", "cupy", "torch", "jax", "dlpack"};
    tg_array a;
    (void)self;
    int is = tg_array_of(value, &a);
    if (is <= 0)
        return is < 0 ? NULL : Py_NewRef(Py_None);
    PyObject *info = PyStructSequence_New(info_type);
    if (info == NULL)
        return NULL;
    PyStructSequence_SetItem(info, 0, PyUnicode_FromString(frameworks[a.framework]));
    PyStructSequence_SetItem(info, 1, PyUnicode_FromString(device_name(a.device)));
    PyStructSequence_SetItem(info, 2, PyLong_FromLong(a.index));
    PyStructSequence_SetItem(info, 3, PyUnicode_FromString(a.dtype ? tg_dtype_name(a.dtype) : a.name));
    PyStructSequence_SetItem(info, 4, PyBool_FromLong(a.contiguous));
    if (PyErr_Occurred())
        Py_CLEAR(info);
    return info;
}

static PyObject *tuple_of(const int64_t *list, int n) {
    PyObject *t = PyTuple_New(n < 0 ? 0 : n);
    for (int i = 0; t != NULL && i < n; i++)
        PyTuple_SetItem(t, i, PyLong_FromLongLong(list[i]));
    return t;
}

PyObject *tg_array_pointer(PyObject *self, PyObject *value) {
    tg_array a;
    (void)self;
    int is = tg_array_of(value, &a);
    if (is <= 0)
        return is < 0 ? NULL : Py_NewRef(Py_None);
    return Py_BuildValue("(KsNN)", (unsigned long long)a.data, a.dtype ? tg_dtype_short(a.dtype) : a.name, tuple_of(a.shape, a.ndim), tuple_of(a.strides, a.ndim));
}
