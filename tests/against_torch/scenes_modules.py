"""Scenes about modules, optimizers and training; the blanks are those of `scene_programs`."""

SCENES = (
    """
    class Net00(nn.Module):
        def __init__(self, width=<<3||4>>):
            super().__init__()
            self.first = nn.Linear(3, width)
            self.second = nn.Linear(width, 3)
            self.register_buffer("mean", torch.zeros(3)<<||, persistent=False>>)
            self.scale = <<2.0||nn.Parameter(torch.ones(3))||nn.Parameter(torch.ones(3), requires_grad=False)>>
        def forward(self, x):
            hidden = <<F.relu(self.first(x))||torch.tanh(self.first(x))||checkpoint(self.first, x, use_reentrant=False)>>
            return self.second(hidden) * self.scale - self.mean
    net00 = Net00().to(DEV)
    out00 = net00({m})
    reveal_value(out00)
    reveal_value(net00.first.weight)
    reveal_value(net00.mean)
    out00.sum().backward()
    reveal_value(net00.second.bias.grad)
    => m out00
    """,
    """
    model00 = nn.Sequential(nn.Linear(3, 3), nn.<<ReLU()||Tanh()||Dropout(0.5)||BatchNorm1d(3)||LayerNorm(3)||Identity()||GELU()>>, nn.Linear(3, 3))
    model00.<<to(OTHER)||cpu()||double()||float()||eval()||train()||requires_grad_(False)||to(DEV)||cuda()>>
    place00 = next(model00.parameters()).device
    kind00 = model00[0].weight.dtype
    out00 = model00({m}.to(place00, kind00))
    reveal_value(out00)
    reveal_value(model00[0].weight)
    reveal_value(model00[-1].bias)
    for name00, parameter00 in model00.named_parameters():
        parameter00.requires_grad = <<False||not name00.startswith("0")||True>>
    reveal_value(model00[2].weight)
    """,
    """
    layer00 = nn.Linear(3, 3, device=DEV<<||, bias=False>>)
    optimizer00 = torch.optim.<<SGD||Adam||AdamW||RMSprop||Adagrad>>(layer00.parameters(), lr=0.1)
    for step00 in range(2):
        <<optimizer00.zero_grad()||optimizer00.zero_grad(set_to_none=True)||layer00.zero_grad()||optimizer00.zero_grad(set_to_none=False)>>
        loss00 = F.mse_loss(layer00({m}.detach()), {m}.detach())
        loss00.backward()
        <<nn.utils.clip_grad_norm_(layer00.parameters(), 1.0)||pass>>
        optimizer00.step()
    reveal_value(loss00)
    reveal_value(layer00.weight)
    reveal_value(layer00.weight.grad)
    """,
    """
    teacher00 = nn.Linear(3, 3).to(DEV)
    student00 = copy.deepcopy(teacher00)
    for parameter00 in teacher00.parameters():
        parameter00.requires_grad_(False)
    reveal_value(teacher00.weight)
    reveal_value(student00.weight)
    with torch.no_grad():
        for old00, new00 in zip(teacher00.parameters(), student00.parameters()):
            old00.<<mul_(0.9).add_(new00, alpha=0.1)||copy_(new00)||lerp_(new00, 0.1)>>
    gap00 = F.mse_loss(student00({m}), teacher00({m}).detach())
    reveal_value(gap00)
    gap00.backward()
    reveal_value(student00.bias.grad)
    """,
    """
    source00 = nn.Linear(3, 3, device=OTHER)
    state00 = source00.state_dict()
    reveal_value(state00["weight"])
    copied00 = {name: value.clone() for name, value in state00.items()}
    reveal_value(copied00["bias"])
    target00 = nn.Linear(3, 3).to(DEV)
    target00.load_state_dict(<<state00||copied00||source00.state_dict()>>)
    reveal_value(target00.weight)
    reveal_value(target00({m}))
    """,
    """
    generator00 = nn.Linear(3, 3).to(DEV)
    critic00 = nn.Linear(3, 1).to(DEV)
    first00 = torch.optim.Adam(generator00.parameters())
    second00 = torch.optim.SGD(critic00.parameters(), lr=0.01)
    fake00 = generator00({m}.detach())
    second00.zero_grad()
    score00 = critic00(<<fake00.detach()||fake00||{m}.detach()>>).mean()
    score00.backward(<<||retain_graph=True>>)
    second00.step()
    reveal_value(score00)
    first00.zero_grad()
    <<loss00 = -critic00(generator00({m}.detach())).mean()||loss00 = fake00.pow(2).mean()>>
    loss00.backward()
    first00.step()
    reveal_value(generator00.weight.grad)
    """,
    """
    class Block00(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = <<nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])||[nn.Linear(3, 3), nn.Linear(3, 3)]||nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)}).values()>>
            self.shift = torch.zeros(3)
        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x + self.shift
    block00 = Block00()
    reveal_value(block00({m}.cpu()))
    <<reveal_value(block00.shift)||reveal_value(sum(each.sum() for each in block00.parameters()))>>
    """,
    """
    tied00 = nn.Linear(3, 3, bias=False).to(DEV)
    other00 = nn.Linear(3, 3, bias=False).to(DEV)
    other00.weight = tied00.weight
    result00 = other00(tied00({m}))
    reveal_value(result00)
    result00.sum().backward()
    reveal_value(tied00.weight.grad)
    reveal_value(other00.weight)
    """,
    """
    norm00 = nn.BatchNorm1d(3).to(DEV)
    <<norm00.eval()||norm00.train()||norm00.requires_grad_(False)>>
    reveal_value(norm00({m}))
    reveal_value(norm00.running_mean)
    reveal_value(norm00.num_batches_tracked)
    reveal_value(norm00.weight)
    """,
    """
    embed00 = nn.Embedding(5, 3<<||, device=DEV>>).to(DEV)
    tokens00 = torch.tensor([[0, 1], [2, 3]], device=DEV)
    vectors00 = embed00(tokens00)
    reveal_value(vectors00)
    recurrent00 = nn.<<GRU||LSTM||RNN>>(3, 4, batch_first=True).to(DEV)
    output00, state00 = recurrent00(vectors00)
    reveal_value(output00)
    reveal_value(output00[:, -1])
    """,
    """
    attention00 = nn.MultiheadAttention(4, 2, batch_first=True).to(DEV)
    query00 = torch.rand(2, 3, 4, device=DEV<<||, requires_grad=True>>)
    mixed00, weights00 = attention00(query00, query00, query00)
    reveal_value(mixed00)
    reveal_value(weights00)
    encoder00 = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).to(DEV)
    reveal_value(encoder00(query00))
    """,
    """
    conv00 = nn.Conv2d(1, 2, 3, padding=1).to(DEV)
    image00 = torch.rand(2, 1, 4, 4, device=DEV)
    maps00 = F.max_pool2d(F.relu(conv00(image00)), 2)
    reveal_value(maps00)
    reveal_value(maps00.flatten(1))
    reveal_value(nn.AdaptiveAvgPool2d(1)(maps00).squeeze())
    reveal_value(nn.Upsample(scale_factor=2)(maps00))
    reveal_value(conv00.weight)
    """,
    """
    class Hold00(nn.Module):
        def __init__(self):
            super().__init__()
            self.values = nn.ParameterList([nn.Parameter(torch.rand(3)) for _ in range(2)])
            self.register_parameter("extra", <<None||nn.Parameter(torch.zeros(3))>>)
            self.note = <<torch.zeros(3)||nn.Parameter(torch.zeros(3))>>
        def forward(self, x):
            return x + self.values[0] * self.values[1]
    hold00 = Hold00().to(DEV)
    reveal_value(hold00({v}))
    reveal_value(hold00.values[1])
    reveal_value(hold00.note)
    """,
    """
    watched00 = nn.Linear(3, 3).to(DEV)
    kept00 = {}
    handle00 = watched00.register_forward_hook(lambda module, inputs, output: <<kept00.update(out=output)||output * 2||output.detach()||None>>)
    before00 = watched00.register_forward_pre_hook(lambda module, inputs: <<None||(inputs[0] * 2,)||inputs[0].detach()>>)
    result00 = watched00({m})
    reveal_value(result00)
    if "out" in kept00:
        reveal_value(kept00["out"])
    handle00.remove()
    before00.remove()
    reveal_value(watched00({m}))
    """,
    """
    frozen00 = nn.Linear(3, 3).to(DEV).requires_grad_(False)
    head00 = nn.Linear(3, 3).to(DEV)
    features00 = frozen00({m})
    reveal_value(features00)
    logits00 = head00(features00)
    loss00 = nn.CrossEntropyLoss(<<||reduction="sum"||reduction="none"||label_smoothing=0.1>>)(logits00, torch.tensor([0, 1, 2], device=DEV))
    reveal_value(loss00)
    loss00.mean().backward()
    <<reveal_value(head00.weight.grad)||reveal_value(head00.bias.grad)>>
    """,
    """
    model00 = nn.Linear(3, 3).to(DEV)
    optimizer00 = torch.optim.SGD([
        {"params": [model00.weight], "lr": 0.1},
        {"params": model00.bias, "weight_decay": 0.0},
    ], lr=0.01, momentum=0.9)
    scheduler00 = torch.optim.lr_scheduler.StepLR(optimizer00, 1)
    model00({m}.detach()).pow(2).mean().backward()
    optimizer00.step()
    scheduler00.step()
    for group00 in optimizer00.param_groups:
        for parameter00 in group00["params"]:
            last00 = parameter00
    reveal_value(last00)
    reveal_value(optimizer00.state[model00.weight]["momentum_buffer"])
    """,
    """
    model00 = nn.Linear(3, 1).to(DEV)
    optimizer00 = torch.optim.LBFGS(model00.parameters(), max_iter=2)
    data00 = {m}.detach()
    def closure00():
        optimizer00.zero_grad()
        loss = model00(data00).pow(2).mean()
        loss.backward()
        return loss
    final00 = optimizer00.step(closure00)
    reveal_value(final00)
    reveal_value(model00.weight)
    """,
    """
    raw00 = nn.Parameter({v}.detach().clone())
    reveal_value(raw00)
    reveal_value(raw00 * 2)
    reveal_value(raw00.data)
    moved00 = raw00.to(OTHER)
    reveal_value(moved00)
    reveal_value(nn.Parameter(raw00[0].detach(), requires_grad=False))
    reveal_value(raw00.clone())
    reveal_value(torch.nn.utils.parameters_to_vector([raw00, raw00]))
    """,
    """
    class Trainer00:
        def __init__(self, model, device):
            self.model = model.to(device)
            self.device = device
            self.optimizer = torch.optim.AdamW(self.model.parameters())
            self.best = None
        def step(self, batch):
            inputs, targets = (each.to(self.device) for each in batch)
            self.optimizer.zero_grad()
            loss = F.mse_loss(self.model(inputs), targets)
            loss.backward()
            self.optimizer.step()
            return loss<<||.item()||.detach()>>
        @torch.no_grad()
        def evaluate(self, batch):
            self.model.eval()
            return self.model(batch.to(self.device))
        def fit(self, batches):
            for batch in batches:
                loss = self.step(batch)
                if self.best is None or loss < self.best:
                    self.best = loss
            return self.best
    trainer00 = Trainer00(nn.Linear(3, 3), OTHER)
    best00 = trainer00.fit([({m}.detach(), {m}.detach()) for _ in range(2)])
    reveal_value(best00)
    reveal_value(trainer00.evaluate({m}))
    reveal_value(trainer00.model.weight)
    """,
    """
    model00 = nn.Linear(3, 3).to(DEV)
    parameters00 = {name: value.detach() * 2 for name, value in model00.named_parameters()}
    reveal_value(torch.func.functional_call(model00, parameters00, ({m},)))
    vector00 = nn.utils.parameters_to_vector(model00.parameters())
    reveal_value(vector00)
    model00.apply(lambda module: nn.init.<<zeros_||xavier_uniform_||normal_>>(module.weight) if isinstance(module, nn.Linear) else None)
    reveal_value(model00.weight)
    nn.init.constant_(model00.bias, 0.5)
    reveal_value(model00.bias)
    """,
    """
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=<<True||False>>):
        mixed00 = {m}.cpu() @ {m}.cpu()
        plain00 = {v} * 2
    reveal_value(mixed00)
    reveal_value(plain00)
    scaler00 = torch.amp.GradScaler(enabled=False)
    reveal_value(scaler00.scale({s}))
    """,
    """
    class Data00(torch.utils.data.Dataset):
        def __len__(self):
            return 4
        def __getitem__(self, index):
            return torch.ones(3) * index, index
    loader00 = torch.utils.data.DataLoader(Data00(), batch_size=2)
    for inputs00, targets00 in loader00:
        reveal_value(inputs00)
        reveal_value(targets00)
        shifted00 = inputs00.to(OTHER) + 1
    reveal_value(shifted00)
    single00, label00 = Data00()[1]
    reveal_value(single00)
    """,
    """
    class Gate00(nn.Module):
        def __init__(self, inner, flag=<<True||False>>):
            super().__init__()
            self.inner = inner
            self.flag = flag
            self.count = 0
        @property
        def device(self):
            return next(self.parameters()).device
        def forward(self, x, *, mask=None):
            self.count += 1
            x = x.to(self.device)
            y = self.inner(x) if self.flag else x
            if mask is not None:
                y = y * mask.to(y.device)
            return (y, y.detach()) if <<self.training||self.flag||FLAG>> else y
    gate00 = Gate00(nn.Linear(3, 3)).to(OTHER)
    answer00 = gate00({m}<<||, mask={v} > 0>>)
    if isinstance(answer00, tuple):
        answer00, cut00 = answer00
        reveal_value(cut00)
    reveal_value(answer00)
    """,
    """
    model00 = nn.Linear(3, 3)
    weight00 = model00.weight
    model00 = model00.to(OTHER)
    reveal_value(weight00)
    model00.weight.data.<<fill_(0.5)||mul_(2)||zero_()>>
    model00.weight = nn.Parameter({m}.detach().clone())
    reveal_value(model00.weight)
    del model00.bias
    model00.register_parameter("bias", None)
    reveal_value(model00({m}.to(model00.weight.device)))
    """,
    """
    losses00 = []
    model00 = nn.Linear(3, 3).to(DEV)
    for value00 in [{v}, {v}]:
        losses00.append(model00(value00.detach()).sum())
    total00 = <<sum(losses00)||torch.stack(losses00).mean()||losses00[0] + losses00[-1]>>
    total00.backward()
    reveal_value(total00)
    reveal_value(model00.weight.grad)
    reveal_value(losses00[0].detach())
    """,
)
