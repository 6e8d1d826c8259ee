export { generate as generateQr } from 'lean-qr/nano'
