module journey

go 1.25
