def f(a, b:
    x = a +
    return x


def g(a):
    if a = 1:
        y = (1, 2
    elif a == 2
        y = 3
    while a:
    for i in range(a) print(i)
    with open(a) as 1:
        pass
    return a b

class C
    x = "abc
    y = 1

z = 1
