from .collate import GraphBatch, collate_graphs
from .gnn import SumGNN
