"""Scenes about views, writes, dtypes, devices and factories; the blanks are those of `scene_programs`."""

SCENES = (
    """
    base00 = {m}<<||.clone()||* 1>>
    row00 = base00[0]
    inner00 = row00<<[1:]||[:2]||.view(3)||.unsqueeze(0)||[None]>>
    with <<torch.no_grad()||contextlib.nullcontext()||torch.enable_grad()>>:
        <<inner00||row00||base00>>.<<mul_(2)||zero_()||add_(1)||clamp_(min=0)||fill_(0.5)||neg_()||copy_(torch.tensor(1.0))>>
    reveal_value(inner00)
    reveal_value(row00)
    reveal_value(base00)
    """,
    """
    mask00 = {v} > 0
    picked00 = {v}[mask00]
    reveal_value(mask00)
    reveal_value(picked00)
    target00 = {v}.clone()
    target00<<[mask00]||[~mask00]||[0]||[1:]||[...]||[-1]>> = <<0||{s}||1.5||True>>
    reveal_value(target00)
    reveal_value(torch.where(mask00, target00, <<0.0||{v}||1>>))
    reveal_value(mask00.any())
    => v target00
    """,
    """
    spread00 = {v}.expand(2, 3)
    reveal_value(spread00)
    reveal_value(spread00.contiguous())
    strided00 = {m}.as_strided((2, 2), (1, 3))
    reveal_value(strided00)
    reveal_value(torch.as_strided({m}, (3,), (4,)))
    windows00 = {v}.unfold(0, 2, 1)
    reveal_value(windows00)
    reveal_value({m}.diagonal().t())
    """,
    """
    out00 = torch.<<empty||zeros||ones>>(3, device=<<DEV||DEV||OTHER>>)
    torch.<<add||mul||sub||maximum>>({v}.detach(), {v}.detach(), out=out00)
    reveal_value(out00)
    torch.sum({m}.detach(), dim=0, out=out00)
    reveal_value(out00)
    torch.matmul({m}.detach(), $v.detach(), out=out00)
    reveal_value(out00)
    => v out00
    """,
    """
    whole00 = torch.arange(3, device=DEV)
    reveal_value(whole00)
    reveal_value(whole00 / 2)
    reveal_value(whole00 + 1.5)
    reveal_value(whole00 * {v})
    reveal_value(whole00.float().requires_grad_())
    reveal_value(whole00 > 1)
    reveal_value(whole00.sum())
    reveal_value(whole00.to(torch.float64) * {v})
    reveal_value({v}[whole00])
    reveal_value({m}[whole00, whole00])
    reveal_value(whole00 // 2)
    reveal_value(whole00.double().mean())
    """,
    """
    half00 = {v}.<<half()||bfloat16()||double()||to(torch.float16)||to(torch.float64)>>
    reveal_value(half00)
    reveal_value(half00 + {v})
    reveal_value(half00 * {s})
    reveal_value(half00.to({v}.dtype))
    reveal_value(half00.type_as({m}))
    reveal_value(torch.result_type(half00, {v}) == torch.float32)
    reveal_value(torch.cat([half00, half00]))
    """,
    """
    number00 = torch.complex({v}, {v})
    reveal_value(number00)
    reveal_value(number00.abs())
    reveal_value(number00.real)
    reveal_value(number00.conj() * number00)
    reveal_value(torch.view_as_real(number00))
    reveal_value(number00.angle())
    reveal_value(torch.fft.fft({v}))
    reveal_value(torch.fft.ifft(torch.fft.fft({v})).real)
    reveal_value({v} * 1j)
    reveal_value(number00.sum().imag)
    """,
    """
    with torch.device(OTHER):
        made00 = torch.zeros(3)
        other00 = torch.tensor([1.0, 2.0, 3.0])
        like00 = torch.ones_like({v})
        linear00 = nn.Linear(3, 3)
        named00 = torch.ones(3, device="cpu")
    reveal_value(made00)
    reveal_value(other00)
    reveal_value(like00)
    reveal_value(linear00.weight)
    reveal_value(named00)
    reveal_value(torch.zeros(3))
    """,
    """
    torch.set_default_device(OTHER)
    first00 = torch.rand(3<<||, requires_grad=True>>)
    second00 = torch.as_tensor([1.0, 2.0, 3.0])
    third00 = torch.from_numpy(__import__("numpy").ones(3))
    torch.set_default_device(<<None||"cpu">>)
    reveal_value(first00)
    reveal_value(second00)
    reveal_value(third00)
    reveal_value(torch.rand(3))
    """,
    """
    moved00 = {v}.to(OTHER)
    again00 = moved00.to(DEV)
    reveal_value(moved00)
    reveal_value(again00)
    reveal_value(moved00.cpu())
    reveal_value(moved00.to({m}))
    reveal_value(moved00.to({v}.device, torch.float64))
    reveal_value(moved00.to(device=DEV, non_blocking=True, copy=True))
    reveal_value(torch.zeros(2).to(moved00.device))
    reveal_value(moved00.new_zeros(2, 2))
    reveal_value(moved00.new_tensor([1.0]))
    reveal_value(moved00.is_cuda and moved00)
    """,
    """
    scalar00 = torch.tensor(2.0<<||, requires_grad=True||, dtype=torch.float64>>)
    reveal_value({v} * scalar00)
    reveal_value(scalar00 / {m})
    reveal_value({v}.add({s}, alpha=2))
    reveal_value(scalar00.expand(3))
    reveal_value({v}.fill_(1.0) if not {v}.requires_grad else scalar00)
    reveal_value(torch.full((2,), 1.0, device=DEV) + scalar00)
    reveal_value(torch.full((2,), 3))
    reveal_value(torch.full_like({v}, 3))
    """,
    """
    first00, second00 = {m}.<<split([1, 2])||chunk(2)||tensor_split(2)>>
    reveal_value(first00)
    reveal_value(second00)
    left00, middle00, right00 = {m}.unbind(<<0||1||-1>>)
    reveal_value(middle00)
    values00, indices00 = {m}.<<max(dim=1)||sort(0)||topk(2)||min(-1)||median(1)||kthvalue(1)||cummax(0)||mode()>>
    reveal_value(values00)
    reveal_value(indices00)
    """,
    """
    flat00 = {m}.<<view(-1)||reshape(9)||flatten()||ravel()||contiguous().view(9)||t().reshape(-1)>>
    reveal_value(flat00)
    flat00 = flat00 <<* 2||.clone()||.detach()>>
    flat00[0] = {s}
    flat00[1:3] += <<1||{v}[:2]>>
    reveal_value(flat00)
    flat00 *= 2
    flat00 -= flat00.mean()
    reveal_value(flat00)
    """,
    """
    buffer00 = torch.zeros(4, 3, device=DEV)
    for index00, value00 in enumerate([{v}, {v}, {v}]):
        buffer00[index00] = value00
    reveal_value(buffer00)
    reveal_value(buffer00[2])
    buffer00.<<index_fill_(0, torch.tensor([0], device=DEV), 1.0)||index_add_(0, torch.tensor([0], device=DEV), $v.unsqueeze(0))||scatter_(0, torch.zeros(1, 3, dtype=torch.long, device=DEV), 1.0)||masked_fill_(buffer00 > 0, 0.0)||index_copy_(0, torch.tensor([1], device=DEV), $v[None])>>
    reveal_value(buffer00)
    """,
    """
    plain00 = {v}.detach()
    reveal_value(plain00)
    plain00.<<requires_grad_()||requires_grad_(True)||requires_grad_(False)>>
    reveal_value(plain00)
    copied00 = <<copy.deepcopy(plain00)||plain00.clone()||torch.clone(plain00)||torch.tensor(plain00.tolist())||plain00.detach().clone()||torch.empty_like(plain00).copy_(plain00)>>
    reveal_value(copied00)
    copied00 = copied00.requires_grad_(copied00.is_leaf)
    reveal_value(copied00)
    => v plain00, v copied00
    """,
    """
    shared00 = {v}.data
    shared00<<.mul_(2)||.zero_()|| += 1||[0] = 3.0>>
    reveal_value(shared00)
    number00 = {s}.item()
    reveal_value(torch.tensor(number00, device=OTHER))
    reveal_value({v} * number00)
    array00 = {v}.detach().cpu().numpy()
    reveal_value(torch.from_numpy(array00))
    reveal_value(torch.tensor(array00, requires_grad=True))
    reveal_value(torch.as_tensor(array00, device=OTHER))
    """,
    """
    grid00 = torch.meshgrid(torch.arange(2, device=DEV), torch.arange(3, device=DEV), indexing="ij")
    reveal_value(grid00[0])
    reveal_value(torch.linspace(0, 1, 3, device=DEV, requires_grad=<<True||False>>))
    reveal_value(torch.eye(2, 3))
    reveal_value(torch.randint(0, 5, (2, 2), device=DEV))
    reveal_value(torch.randperm(3, device=DEV))
    reveal_value(torch.tril_indices(3, 3))
    reveal_value(torch.empty(0, 3).new_full((2,), 1.0))
    reveal_value(torch.normal({v}.detach(), 1.0))
    reveal_value(torch.bernoulli({v}.detach().sigmoid()))
    reveal_value(torch.zeros(3).uniform_())
    """,
    """
    counted00 = torch.bincount(torch.tensor([0, 1, 1], device=DEV))
    reveal_value(counted00)
    reveal_value({m}.argmax(dim=1))
    reveal_value({v}.nonzero())
    reveal_value(torch.unique({v}.detach()))
    reveal_value(F.one_hot(torch.tensor([0, 2], device=DEV), 3))
    reveal_value({v}.bool())
    reveal_value({v}.long() + {v}.int())
    reveal_value(({v} > 0) & ({v} < 1))
    reveal_value(torch.logical_not({v}))
    reveal_value(torch.isnan({v}).sum())
    reveal_value({m}.eq({m}).all(dim=1))
    reveal_value(torch.equal($v, $v) and {v})
    """,
    """
    q00, r00 = torch.linalg.qr({m})
    reveal_value(q00)
    reveal_value(torch.linalg.inv({m} + 3 * torch.eye(3, device=DEV)))
    reveal_value(torch.linalg.svdvals({m}))
    reveal_value(torch.linalg.solve(torch.eye(3, device=DEV) * 2, {v}))
    reveal_value(torch.linalg.det({m}))
    reveal_value(torch.linalg.matrix_norm({m}))
    reveal_value(torch.linalg.eigvalsh({m} @ {m}.t()))
    reveal_value(torch.linalg.multi_dot([{m}, {m}, {v}]))
    reveal_value(torch.kron({v}, {v}))
    reveal_value(torch.cross({v}, {v}, dim=0))
    """,
    """
    state00 = {v}
    for turn00 in range(2):
        state00 <<+= 1||*= 0.5||-= {v}||= state00 + {v}||= state00.detach()||/= 2>>
    reveal_value(state00)
    => v state00
    """,
    """
    a00 = {v}
    b00 = a00
    b00 = b00 + 1
    c00 = a00
    if not (a00.is_leaf and a00.requires_grad):
        c00 += <<1||{s}.to(c00.device)>>
    reveal_value(a00)
    reveal_value(b00)
    reveal_value(c00)
    """,
    """
    padded00 = nn.utils.rnn.pad_sequence([{v}, {v}[:2]], batch_first=True)
    reveal_value(padded00)
    reveal_value(F.pad({v}, (1, 1)))
    reveal_value(torch.hstack([{v}, {v}]))
    reveal_value(torch.block_diag({m}, {m}))
    reveal_value({v}.repeat_interleave(2))
    reveal_value(torch.cartesian_prod({v}, {v}))
    reveal_value({m}.rot90())
    reveal_value(torch.tensordot({m}, {m}, dims=1))
    reveal_value(torch.movedim({m}, 0, 1))
    reveal_value({v}.diff())
    reveal_value({m}.cov())
    """,
    """
    old00 = {m}
    old00 = old00.<<t()||transpose(0, 1)||squeeze()||unsqueeze(1).squeeze(1)>>
    try:
        old00.<<t_()||unsqueeze_(0)||squeeze_()||transpose_(0, 1)||resize_(9)||set_(torch.zeros(2))>>
    except RuntimeError:
        pass
    reveal_value(old00.sum())
    reveal_value(old00.numel() and old00.mean())
    reveal_value(old00.view_as(old00))
    """,
    """
    sparse00 = {m}.detach().to_sparse()
    reveal_value(sparse00.to_dense())
    reveal_value(torch.bucketize({v}.detach(), torch.tensor([0.0, 0.5], device=DEV)))
    reveal_value(torch.searchsorted(torch.tensor([0.0, 0.5], device=DEV), {v}.detach()))
    reveal_value(torch.histc({v}.detach(), bins=3))
    reveal_value({v}.quantile(0.5))
    reveal_value(torch.trapezoid({v}))
    reveal_value(torch.polygamma(1, {v}.abs() + 1))
    reveal_value({v}.heaviside({v}))
    reveal_value(torch.special.expit({v}))
    reveal_value(torch.hypot({v}, {v}))
    reveal_value(torch.frexp({v}.detach())[1])
    """,
)
