"""Scenes about objects, names and control flow; the blanks are those of `scene_programs`."""

SCENES = (
    """
    class Meter00:
        def __init__(self, start):
            self.total = start
            self.seen = []
        def update(self, value, *, weight=1):
            self.total = self.total + value<<.detach()||||* weight||.sum()>>
            self.seen.append(value)
            return self
        @property
        def last(self):
            return self.seen[-1]
    meter00 = Meter00(<<0.0||torch.zeros(3, device=DEV)||torch.zeros(())>>)
    for value00 in [{v}, {v}]:
        meter00.update(value00)
    reveal_value(meter00.total)
    reveal_value(meter00.last)
    """,
    """
    shelf00 = {"a": {v}, "b": {v}}
    alias00 = shelf00["a"]
    shelf00["a"] = shelf00["a"] * 2
    <<alias00 = alias00.detach()||alias00 = alias00.clone()||shelf00["b"] = alias00>>
    reveal_value(alias00)
    reveal_value(shelf00["a"])
    reveal_value(shelf00["b"])
    total00 = sum(shelf00.values())
    reveal_value(total00)
    => v total00, v alias00
    """,
    """
    def scaled00(value, factor={s}, *rest, <<bias=None||bias={v}>>):
        if bias is not None:
            return value * factor + bias
        for each in rest:
            value = value + each
        return value * factor
    first00 = scaled00({v})
    second00 = scaled00({v}, 2.0, <<{v}||$v, $v>>, bias=<<None||{v}>>)
    reveal_value(first00)
    reveal_value(second00)
    => v first00, v second00
    """,
    """
    def counter00(start):
        state = start
        def step(change):
            nonlocal state
            state = state <<+||*>> change
            return state
        return step
    step00 = counter00({v})
    <<step00({v})||for _ in range(2):
        step00({v})>>
    now00 = step00({s})
    reveal_value(now00)
    => v now00
    """,
    """
    @dataclass
    class Batch00:
        inputs: torch.Tensor
        labels: torch.Tensor = None
        extra: list = field(default_factory=list)
        def to(self, device):
            return Batch00(self.inputs.to(device), self.labels if self.labels is None else self.labels.to(device), self.extra)
    batch00 = Batch00({m}, <<None||{v}>>)
    batch00 = batch00.to(<<OTHER||DEV>>)
    reveal_value(batch00.inputs)
    reveal_value(batch00.labels)
    batch00.extra.append(batch00.inputs[0])
    reveal_value(batch00.extra[0])
    """,
    """
    class Pair00(NamedTuple):
        left: torch.Tensor
        right: torch.Tensor
    pair00 = Pair00({v}, right={v})
    reveal_value(pair00.left)
    left00, right00 = pair00
    swapped00 = Pair00(right00, left00)._replace(left={v})
    reveal_value(swapped00.right)
    reveal_value(swapped00[0] + left00)
    => v left00
    """,
    """
    parts00 = [part * 2 for part in <<{m}||{m}.unbind(0)||[$v, $v]>>]
    reveal_value(parts00[0])
    named00 = {f"p{index}": part for index, part in enumerate(parts00)}
    reveal_value(named00["p1"])
    joined00 = torch.stack(list(named00.values()))
    reveal_value(joined00)
    reveal_value(torch.cat([part.flatten() for part in parts00 if part is not None]))
    """,
    """
    class Frozen00:
        def __enter__(self):
            self.before = torch.is_grad_enabled()
            torch.set_grad_enabled(<<False||FLAG||True>>)
            return self
        def __exit__(self, *error):
            torch.set_grad_enabled(self.before)
            return False
    with Frozen00() as frozen00:
        inside00 = {v}
    after00 = {v}
    reveal_value(inside00)
    reveal_value(after00)
    => v after00, v inside00
    """,
    """
    @contextlib.contextmanager
    def placed00(device):
        <<torch.set_default_device(device)||before = torch.get_default_device()
        torch.set_default_device(device)>>
        try:
            yield torch.ones(3)
        finally:
            torch.set_default_device("cpu")
    with placed00(OTHER) as fresh00:
        more00 = torch.zeros(3) + 1
    reveal_value(fresh00)
    reveal_value(more00)
    reveal_value(torch.ones(2))
    """,
    """
    def checked00(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            <<with torch.no_grad():
                return function(*args, **kwargs)||result = function(*args, **kwargs)
            return result * 2||return function(*[each.detach() for each in args], **kwargs)>>
        return inner
    @checked00
    def work00(x, y):
        return x * y + 1
    result00 = work00({v}, y={v})
    reveal_value(result00)
    => v result00
    """,
    """
    class Vec00:
        def __init__(self, data):
            self.data = data
        def __add__(self, other):
            return Vec00(self.data + (other.data if isinstance(other, Vec00) else other))
        __radd__ = __add__
        def __getitem__(self, index):
            return self.data[index]
        def __len__(self):
            return 3
        def __iter__(self):
            return iter(self.data)
        def __call__(self, scale=2):
            return self.data * scale
        def __matmul__(self, other):
            return self.data @ other.data
    vec00 = Vec00({v}) + Vec00({v})
    reveal_value(vec00.data)
    reveal_value((vec00 + 1).data)
    reveal_value((1 + vec00)[0])
    reveal_value(vec00())
    reveal_value(vec00 @ vec00)
    <<reveal_value(vec00[-1])||reveal_value(sum(vec00))||reveal_value([each * 2 for each in vec00][0])>>
    """,
    """
    def first00(values):
        for value in values:
            if value.requires_grad:
                return value
        return None
    found00 = first00([{v}, {v}, $v])
    if found00 is not None:
        reveal_value(found00 * 2)
    else:
        found00 = {v}
    reveal_value(found00)
    """,
    """
    try:
        risky00 = {v} <<+||*>> torch.ones(3, device=OTHER)
        <<pass||raise ValueError("no")||int("3")>>
    except RuntimeError:
        risky00 = {v}
    except (ValueError, TypeError) as error:
        risky00 = {v}.detach()
    else:
        risky00 = risky00 * 2
    finally:
        done00 = True
    reveal_value(risky00)
    """,
    """
    def route00(x, mode="a"):
        if mode == "a":
            return x.detach()
        elif mode == "b":
            return x * 2
        if <<FLAG||x.dim() > 1||x.requires_grad>>:
            return x.sum()
        return x.to(OTHER)
    reveal_value(route00({v}))
    reveal_value(route00({v}, "b"))
    reveal_value(route00({v}, mode="c"))
    """,
    """
    values00 = <<[{v}, {v}, {v}]||({v}, {v}, {v})>>
    first00, *others00 = values00
    *front00, last00 = values00
    reveal_value(first00)
    reveal_value(others00[0])
    reveal_value(last00)
    reveal_value(functools.reduce(lambda a, b: a + b, others00))
    reveal_value(list(map(lambda x: x * 2, values00))[1])
    => v first00, v last00
    """,
    """
    step00 = 0
    state00 = {v}
    while step00 < <<2||3>>:
        state00 = state00 <<* 0.5||.tanh()||.detach()||+ {v}>>
        step00 += 1
        if <<step00 > 1||FLAG||state00.shape[0] == 5>>:
            <<break||continue>>
    <<else:
        state00 = state00 * 2||reveal_value(state00)>>
    reveal_value(state00)
    => v state00
    """,
    """
    class Base00:
        scale = <<2.0||{s}>>
        def run(self, x):
            return self.kernel(x) * self.scale
        def kernel(self, x):
            raise NotImplementedError
    class Child00(Base00):
        def kernel(self, x):
            return x + 1
        def run(self, x):
            return super().run(x)<<||.detach()||.relu()>>
    class Other00(Child00):
        scale = 1
        @staticmethod
        def kernel(x):
            return x.abs()
        @classmethod
        def build(cls, x):
            made = cls()
            made.value = made.run(x)
            return made
    reveal_value(Child00().run({v}))
    reveal_value(Other00.build({v}).value)
    """,
    """
    class Cache00:
        _store = {}
        def get(self, key, maker):
            if key not in self._store:
                self._store[key] = maker()
            return self._store[key]
    one00 = Cache00().get("x", lambda: {v})
    two00 = Cache00().get("x", lambda: {v}.detach())
    reveal_value(one00)
    reveal_value(two00)
    reveal_value(Cache00._store["x"])
    """,
    """
    def pieces00(tensor, size=1):
        for start in range(0, 3, size):
            yield tensor[start : start + size]
    total00 = 0
    for piece00 in pieces00({m}):
        total00 = total00 + piece00.sum()
    reveal_value(total00)
    first00 = next(pieces00({m}))
    reveal_value(first00)
    reveal_value(torch.cat(list(pieces00({m}))))
    """,
    """
    table00 = defaultdict(list)
    for key00, value00 in zip(["a", "b", "a"], [{v}, {v}, {v}]):
        table00[key00].append(value00)
    merged00 = {key: torch.stack(items).sum(0) for key, items in table00.items()}
    reveal_value(merged00["a"])
    reveal_value(merged00["b"])
    reveal_value(table00["b"][0])
    """,
    """
    ring00 = deque([{v}], maxlen=2)
    ring00.append({v})
    ring00.append({v})
    reveal_value(ring00[0])
    reveal_value(ring00.pop())
    reveal_value(ring00.popleft())
    """,
    """
    config00 = {"device": OTHER, "dtype": <<torch.float32||torch.float64||torch.int64>>}
    made00 = torch.ones(3, **config00)
    reveal_value(made00)
    options00 = dict(requires_grad=<<True||False>>, device=DEV)
    leaf00 = torch.zeros(3, **options00)
    reveal_value(leaf00)
    placed00 = made00.to(**config00)
    reveal_value(placed00)
    => v leaf00
    """,
    """
    class Node00:
        def __init__(self, value, left=None, right=None):
            self.value, self.left, self.right = value, left, right
        def total(self):
            result = self.value
            for child in (self.left, self.right):
                if child is not None:
                    result = result + child.total()
            return result
    tree00 = Node00({v}, Node00({v}), <<None||Node00({v})>>)
    reveal_value(tree00.total())
    reveal_value(tree00.left.value)
    """,
    """
    def power00(x, n):
        return x if n == 0 else power00(x, n - 1) * x
    reveal_value(power00({v}, 2))
    box00 = [{v}]
    other00 = box00
    other00[0] = other00[0]<<.detach()||* 2||.clone()>>
    reveal_value(box00[0])
    copy00 = <<list(box00)||box00[:]||copy.copy(box00)||[*box00]>>
    copy00[0] = {v}
    reveal_value(box00[0])
    """,
    """
    Point00 = namedtuple("Point00", "x y")
    point00 = Point00({v}, y={s})
    reveal_value(point00.x * point00.y)
    dict00 = point00._asdict()
    reveal_value(dict00["y"])
    setattr(point00.x, "note", {s})
    reveal_value(getattr(point00.x, "note"))
    reveal_value(getattr(point00, "x"))
    """,
    """
    if (size00 := {m}.shape[0]) > 2 and <<True||FLAG>>:
        branch00 = {v}
    else:
        branch00 = {v}.to(OTHER)
    reveal_value(branch00)
    chosen00 = {v} if <<FLAG||size00 == 3||branch00.requires_grad||branch00.is_cuda>> else {v}
    reveal_value(chosen00)
    """,
    """
    class Guard00:
        __slots__ = ("_value",)
        def __init__(self, value):
            self._value = value
        @property
        def value(self):
            return self._value
        @value.setter
        def value(self, new):
            self._value = new<<.detach()||.to(OTHER)||>>
    guard00 = Guard00({v})
    guard00.value = {v}
    reveal_value(guard00.value)
    guard00.value = guard00.value + {s}.to(guard00.value.device)
    reveal_value(guard00._value)
    """,
    """
    registry00 = {}
    def register00(name):
        def wrap(function):
            registry00[name] = function
            return function
        return wrap
    @register00("double")
    def double00(x):
        return x * 2
    @register00("cut")
    def cut00(x):
        return x.detach()
    for name00 in ("double", "cut"):
        result00 = registry00[name00]({v})
    reveal_value(result00)
    reveal_value(registry00["double"]({v}))
    """,
    """
    add00 = functools.partial(torch.add, {v})
    reveal_value(add00({v}))
    reveal_value(add00({v}, alpha=2))
    pipeline00 = [torch.tanh, lambda x: x * 2, functools.partial(torch.mul, other={s})]
    value00 = {v}
    for stage00 in pipeline00:
        value00 = stage00(value00)
    reveal_value(value00)
    => v value00
    """,
    """
    match <<3||"go"||None>>:
        case 3:
            matched00 = {v}
        case "go":
            matched00 = {v}.detach()
        case _:
            matched00 = {v}.to(OTHER)
    reveal_value(matched00)
    pairs00 = list(zip([{v}, {v}], [{s}, {s}]))
    for index00, (vector00, scalar00) in enumerate(pairs00):
        last00 = vector00 * scalar00 + index00
    reveal_value(last00)
    reveal_value(pairs00[0][1])
    """,
    """
    history00 = []
    current00 = {v}
    for turn00 in range(3):
        history00.append(current00)
        current00 = current00 <<* {s}||.detach()||+ history00[0]>>
    reveal_value(history00[0])
    reveal_value(history00[-1])
    reveal_value(current00)
    reveal_value(torch.stack(history00).mean(0))
    """,
    """
    lookup00 = OrderedDict(first={v}, second={v})
    lookup00.update(third={v})
    lookup00["first"], lookup00["second"] = lookup00["second"], lookup00["first"]
    popped00 = lookup00.pop("first")
    reveal_value(popped00)
    reveal_value(lookup00.get("first", {v}))
    reveal_value(lookup00.setdefault("fourth", {v}))
    merged00 = {**lookup00, "third": {v}}
    reveal_value(merged00["third"])
    reveal_value(merged00.get("second"))
    """,
    """
    def both00(x):
        doubled = x * 2
        return doubled, {"sum": doubled.sum(), "cut": doubled.detach()}
    out00, info00 = both00({v})
    reveal_value(out00)
    reveal_value(info00["sum"])
    reveal_value(info00["cut"])
    *_, (result00, _ignored00) = [both00($v)]
    reveal_value(result00)
    """,
    """
    import types
    space00 = types.SimpleNamespace(x={v}, lr=0.1)
    space00.x = space00.x - space00.lr * {v}
    reveal_value(space00.x)
    vars(space00)["y"] = {s}
    reveal_value(space00.y)
    frozen00 = tuple(each.clone() for each in (space00.x, space00.y))
    reveal_value(frozen00[0])
    assert frozen00[0] is not space00.x
    """,
)
