"""The measurements behind `azul-table bench`; each takes its clock and its chance as arguments."""
