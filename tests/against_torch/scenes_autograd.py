"""Scenes about backward, graphs, hooks and grad modes; the blanks are those of `scene_programs`."""

SCENES = (
    """
    leaf00 = torch.<<rand||ones>>(3, device=DEV, requires_grad=True)
    loss00 = (leaf00 * {v}).sum()
    loss00.backward(<<||retain_graph=True||torch.tensor(1.0, device=DEV)||inputs=[leaf00]||create_graph=True>>)
    reveal_value(leaf00.grad)
    <<loss00.backward()||leaf00.grad.zero_()||leaf00.grad = None||(leaf00 * 2).sum().backward()>>
    <<reveal_value(leaf00.grad)||reveal_value(loss00)>>
    """,
    """
    leaf00 = torch.rand(3, device=DEV, requires_grad=True)
    value00 = (leaf00 ** 3).sum()
    (first00,) = torch.autograd.grad(value00, leaf00, create_graph=<<True||True||False>>)
    reveal_value(first00)
    if first00.requires_grad:
        second00 = torch.autograd.grad(first00.sum(), leaf00)[0]
        reveal_value(second00)
    penalty00 = first00.norm()
    reveal_value(penalty00)
    """,
    """
    leaf00 = torch.rand(3, device=DEV, requires_grad=True)
    middle00 = leaf00 * 2
    <<middle00.retain_grad()||middle00.requires_grad_()||middle00 = middle00 + 1>>
    middle00.<<sum||mean||prod>>().backward()
    if middle00.grad is not None:
        reveal_value(middle00.grad)
    reveal_value(leaf00.grad)
    reveal_value(middle00)
    """,
    """
    class Square00(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale=1.0):
            ctx.save_for_backward(x)
            ctx.scale = scale
            return x * x * scale
        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return <<2 * x * grad * ctx.scale||grad * x>>, None
    result00 = Square00.apply({v}, <<2.0||1>>)
    reveal_value(result00)
    if result00.requires_grad:
        result00.sum().backward()
    apply00 = Square00.apply
    reveal_value(apply00({v}, 1))
    """,
    """
    class Split00(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            index = (x > 0).long()
            ctx.mark_non_differentiable(index)
            ctx.set_materialize_grads(<<True||False>>)
            return x.clone(), index
        @staticmethod
        def backward(ctx, grad, _):
            return grad
    kept00, index00 = Split00.apply({v})
    reveal_value(kept00)
    reveal_value(index00)
    => v kept00
    """,
    """
    class Through00(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return <<x.round()||(x > 0).float()||x.view_as(x)>>
        @staticmethod
        def backward(ctx, grad):
            return grad<<||.clamp(-1, 1)||.neg()>>
    through00 = Through00.apply({v})
    reveal_value(through00)
    reveal_value(through00.sum())
    """,
    """
    seen00 = []
    leaf00 = torch.ones(3, device=DEV, requires_grad=True)
    handle00 = leaf00.register_hook(lambda grad: <<seen00.append(grad)||grad * 2||None>>)
    (leaf00 * {v}).sum().backward()
    reveal_value(leaf00.grad)
    handle00.remove()
    for each00 in seen00:
        reveal_value(each00)
    """,
    """
    with torch.no_grad():
        quiet00 = {v}
        loud00 = torch.ones(3, requires_grad=True)
        view00 = {m}[0]
        with torch.enable_grad():
            nested00 = {v}
    reveal_value(quiet00)
    reveal_value(loud00)
    reveal_value(view00)
    reveal_value(nested00)
    reveal_value(quiet00 + nested00)
    => v nested00, v quiet00
    """,
    """
    @torch.<<no_grad()||inference_mode()||enable_grad()||set_grad_enabled(False)>>
    def predict00(x):
        return x * 2, torch.is_grad_enabled()
    answer00, mode00 = predict00({v})
    reveal_value(answer00)
    <<reveal_value(answer00 + 1)||reveal_value(answer00.clone())||reveal_value(answer00.detach())>>
    """,
    """
    with torch.inference_mode(<<||False||True>>):
        hidden00 = {v}
        fresh00 = torch.ones(3, device=DEV)
    reveal_value(hidden00)
    reveal_value(fresh00)
    reveal_value(fresh00.clone())
    reveal_value(fresh00 + 1)
    """,
    """
    previous00 = torch.is_grad_enabled()
    torch.set_grad_enabled(<<False||FLAG>>)
    within00 = {v}
    torch.set_grad_enabled(previous00)
    reveal_value(within00)
    reveal_value(within00 * {v})
    with torch.set_grad_enabled(<<within00.requires_grad||True||not previous00>>):
        reveal_value({v})
    """,
    """
    def block00(x, y):
        return torch.tanh(x * y)
    again00 = checkpoint(block00, {v}, {v}, use_reentrant=<<False||False||True>>)
    reveal_value(again00)
    if again00.requires_grad:
        again00.sum().backward()
    """,
    """
    leaf00 = torch.rand(3, device=DEV, requires_grad=True)
    with torch.no_grad():
        leaf00 <<-= 0.1||.mul_(2)||.clamp_(0, 1)||[0] = 1.0||.copy_({v})>>
    reveal_value(leaf00)
    leaf00.data = <<leaf00.data * 2||{v}.detach()||torch.zeros(3, device=DEV)>>
    reveal_value(leaf00)
    leaf00.requires_grad = <<True||False>>
    reveal_value(leaf00 * 2)
    """,
    """
    x00 = torch.rand(3, device=DEV, requires_grad=True)
    y00 = <<x00.exp()||x00.sigmoid()||x00 * x00||x00 + 1||x00.sin()||x00 * 2||x00.relu()>>
    <<y00.add_(1)||y00.mul_(2)||y00 += 1||y00[0] = 0||y00.detach_()||y00.data.zero_()||y00.detach().zero_()||pass>>
    reveal_value(y00)
    if y00.requires_grad:
        y00.sum().backward()
        reveal_value(x00.grad)
    """,
    """
    w00 = torch.rand(3, device=DEV, requires_grad=True)
    h00 = w00 * {v}
    part00 = h00[:2]
    <<part00.mul_(3)||part00 += 1||h00.add_(1)||part00 = part00 * 2>>
    total00 = h00.sum() + part00.sum()
    total00.backward()
    reveal_value(w00.grad)
    reveal_value(total00)
    """,
    """
    leaves00 = [torch.rand(3, device=DEV, requires_grad=True) for _ in range(2)]
    grads00 = torch.autograd.grad((leaves00[0] * 2).sum(), leaves00, allow_unused=True<<||, materialize_grads=True>>)
    reveal_value(grads00[0])
    <<reveal_value(grads00[1])||reveal_value(leaves00[1])>>
    torch.autograd.backward([leaves00[0].sum(), leaves00[1].mean()])
    reveal_value(leaves00[1].grad)
    """,
    """
    def energy00(x):
        return (x ** 2).sum()
    point00 = {v}
    reveal_value(torch.autograd.functional.jacobian(energy00, point00.detach()))
    reveal_value(torch.autograd.functional.hessian(energy00, point00.detach()))
    reveal_value(torch.func.grad(energy00)(point00))
    reveal_value(torch.func.vmap(torch.sin)({m}))
    """,
    """
    a00 = torch.ones(3, device=DEV, requires_grad=True)
    b00 = a00 * 2
    c00 = b00.detach()<<||.requires_grad_()>>
    d00 = c00 * 3
    reveal_value(d00)
    if d00.requires_grad:
        d00.sum().backward()
        reveal_value(c00.grad)
        b00.backward(c00.grad)
    reveal_value(a00.grad)
    """,
    """
    weights00 = {"w": torch.rand(3, device=DEV, requires_grad=True), "b": torch.zeros(3, device=DEV, requires_grad=True)}
    for _ in range(2):
        error00 = ({v} * weights00["w"] + weights00["b"]).pow(2).mean()
        for weight00 in weights00.values():
            weight00.grad = None
        error00.backward()
        with torch.no_grad():
            for name00, weight00 in weights00.items():
                <<weight00 -= 0.1 * weight00.grad||weights00[name00] = weight00 - 0.1 * weight00.grad||weight00.sub_(weight00.grad, alpha=0.1)>>
                <<weights00[name00].requires_grad_()||pass>>
    reveal_value(weights00["w"])
    reveal_value(error00)
    """,
    """
    inner00 = {"p": torch.rand(3, device=DEV, requires_grad=True)}
    loss00 = (inner00["p"] * {v}).sum()
    gradient00 = torch.autograd.grad(loss00, list(inner00.values()), create_graph=<<True||False>>)
    fast00 = {name: value - 0.1 * grad for (name, value), grad in zip(inner00.items(), gradient00)}
    reveal_value(fast00["p"])
    outer00 = (fast00["p"] ** 2).mean()
    outer00.backward()
    reveal_value(inner00["p"].grad)
    """,
    """
    hidden00 = torch.zeros(3, device=DEV)
    weight00 = torch.rand(3, 3, device=DEV, requires_grad=True)
    for step00 in range(2):
        hidden00 = torch.tanh(hidden00 @ weight00 + {v}<<.detach()||.data>>)
        loss00 = hidden00.sum()
        loss00.backward()
        hidden00 = hidden00<<.detach()||.clone().detach()||.data>>
    reveal_value(hidden00)
    reveal_value(weight00.grad)
    """,
    """
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        product00 = {v} * {v}
    reveal_value(product00)
    with torch.autograd.set_detect_anomaly(<<True||False>>):
        reveal_value({v}.sum())
    with torch.autograd.profiler.record_function("step"):
        reveal_value({v})
    """,
    """
    total00 = torch.zeros((), device=DEV<<||, requires_grad=True>>)
    for value00 in ({v}, {v}):
        total00 = total00 + value00<<.sum()||.mean()||.detach().sum()||.sum().item()>>
    reveal_value(total00)
    if total00.requires_grad:
        total00.backward()
    => s total00
    """,
)
