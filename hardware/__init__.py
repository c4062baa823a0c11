"""The physical table: lights, buttons, layouts and drivers. It knows no Azul."""
