from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def run_packed(rnn, x, lengths):
    """Runs `rnn` over padded rows without looking at the padding."""
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    out, _ = rnn(packed)
    return pad_packed_sequence(out, batch_first=True, total_length=x.size(1))[0]
