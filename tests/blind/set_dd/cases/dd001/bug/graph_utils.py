"""Sparse graph plumbing shared by all models."""
import torch


def add_self_loops(edge_index, num_nodes):
    loop = torch.arange(num_nodes, dtype=edge_index.dtype)
    loop = loop.unsqueeze(0).repeat(2, 1)
    return torch.cat([edge_index, loop], dim=1)


def gcn_norm(edge_index, num_nodes):
    edge_index = add_self_loops(edge_index, num_nodes)
    row, col = edge_index
    deg = edge_index.new_zeros(num_nodes, dtype=torch.float32)
    deg.scatter_add_(0, col, torch.ones_like(col, dtype=torch.float32))
    inv = deg.clamp(min=1).rsqrt()
    return edge_index, inv[row] * inv[col]
