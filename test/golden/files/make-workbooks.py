"""Workbooks as programs write them: openpyxl (formulas without their results) and XlsxWriter."""
import datetime
import openpyxl
import xlsxwriter

book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Export"
sheet.append(["prenom", "mobile", "solde"])
sheet.append(["Awa", "+221770000001", 1500])
sheet.append(["Koffi", "=CONCATENATE(\"+22177\",\"0000002\")", 2500])
sheet.append(["Yao", "+221770000003", "=1000+500"])
sheet.append(["Zoë", 221770000004, 3500.75])
book.save("openpyxl-formulas.xlsx")

book = xlsxwriter.Workbook("xlsxwriter-formats.xlsx", {"date_1904": True})
sheet = book.add_worksheet("Feuil1")
french = book.add_format({"num_format": '0#" "##" "##" "##" "##'})
ten = book.add_format({"num_format": "0000000000"})
day = book.add_format({"num_format": "dd/mm/yyyy"})
month = book.add_format({"num_format": "[$-40C]d mmmm yyyy;@"})
hour = book.add_format({"num_format": "hh:mm"})
money = book.add_format({"num_format": '# ##0" F CFA"'})
sheet.write_row(0, 0, ["Nom", "GSM", "Date", "Heure", "Montant"])
sheet.write_row(1, 0, ["Awa", 707000001], None)
sheet.write_number(1, 1, 707000001, french)
sheet.write_datetime(1, 2, datetime.datetime(2026, 11, 30), day)
sheet.write_datetime(1, 3, datetime.time(14, 30), hour)
sheet.write_number(1, 4, 25000, money)
sheet.write_string(2, 0, "Koffi")
sheet.write_number(2, 1, 707000002, ten)
sheet.write_datetime(2, 2, datetime.datetime(2026, 12, 1), month)
sheet.write_datetime(2, 3, datetime.time(8, 0), hour)
sheet.write_number(2, 4, 1500.5, money)
sheet.write_string(3, 0, "Filtré")
sheet.write_string(3, 1, "0707000003")
sheet.set_row(3, None, None, {"hidden": True})
sheet.write_rich_string(4, 0, book.add_format({"bold": True}), "Gras", " et maigre")
sheet.write_string(4, 1, "0707000004")
sheet.write_boolean(4, 4, True)
hidden = book.add_worksheet("Listes")
hidden.hide()
book.close()
