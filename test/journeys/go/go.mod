module journey

go 1.23
