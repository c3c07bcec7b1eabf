package gen

import "slices"

// Rows is the table: what there is of each theme, in the order of docs/language.md.
var Rows = slices.Concat(arithmeticRows, castRows, mathRows, libdeviceRows, shapeRows, memoryRows, reduceRows, matrixRows, randomRows, controlRows)
