// Firefox takes H.264 in a call from a Gecko Media Plugin alone, which it downloads. This one decodes with Debian's
// openh264, so that tests need no download.
//
// The interfaces are Firefox': classes without data whose virtual functions stand in its order (gmp-video-decode.h,
// gmp-video-frame-i420.h, gmp-video-frame-encoded.h, gmp-video-host.h).

#include <cstdint>
#include <cstring>
#include <vector>

#include <wels/codec_api.h>

// Not of this file alone: the compiler must not take it that nothing implements them.
namespace gmp {

enum Error : int32_t { noError = 0, notImplemented = 4, decodeError = 10 };
enum Format : int32_t { encodedFormat = 0, i420Format = 1 };
enum Plane : int32_t { luma = 0, blue = 1, red = 2 };

class Frame {
public:
    virtual Format format() = 0;
    virtual void destroy() = 0;
};

class Picture : public Frame {
public:
    virtual Error createEmpty(int32_t width, int32_t height, int32_t lumaStride, int32_t blueStride, int32_t redStride) = 0;
    virtual Error create(
        int32_t lumaSize, const uint8_t *luma, int32_t blueSize, const uint8_t *blue, int32_t redSize, const uint8_t *red,
        int32_t width, int32_t height, int32_t lumaStride, int32_t blueStride, int32_t redStride) = 0;
    virtual Error copy(const Picture &other) = 0;
    virtual void swap(Picture *other) = 0;
    virtual uint8_t *buffer(Plane plane) = 0;
    virtual const uint8_t *buffer(Plane plane) const = 0;
    virtual int32_t allocatedSize(Plane plane) const = 0;
    virtual int32_t stride(Plane plane) const = 0;
    virtual Error setWidth(int32_t width) = 0;
    virtual Error setHeight(int32_t height) = 0;
    virtual int32_t width() const = 0;
    virtual int32_t height() const = 0;
    virtual void setTimestamp(uint64_t microseconds) = 0;
    virtual uint64_t timestamp() const = 0;
    virtual void setDuration(uint64_t microseconds) = 0;
    virtual uint64_t duration() const = 0;
};

class Encoded : public Frame {
public:
    virtual Error createEmpty(uint32_t size) = 0;
    virtual Error copy(const Encoded &other) = 0;
    virtual void setWidth(uint32_t width) = 0;
    virtual uint32_t width() = 0;
    virtual void setHeight(uint32_t height) = 0;
    virtual uint32_t height() = 0;
    virtual void setTimestamp(uint64_t microseconds) = 0;
    virtual uint64_t timestamp() = 0;
    virtual void setDuration(uint64_t microseconds) = 0;
    virtual uint64_t duration() const = 0;
    virtual void setType(int32_t type) = 0;
    virtual int32_t type() = 0;
    virtual void setAllocatedSize(uint32_t size) = 0;
    virtual uint32_t allocatedSize() = 0;
    virtual void setSize(uint32_t size) = 0;
    virtual uint32_t size() = 0;
    virtual void setComplete(bool isComplete) = 0;
    virtual bool isComplete() = 0;
    virtual const uint8_t *buffer() const = 0;
    virtual uint8_t *buffer() = 0;
};

class Host {
public:
    virtual Error createFrame(Format format, Frame **frame) = 0;
};

class Listener {
public:
    virtual ~Listener() {}
    virtual void decoded(Picture *picture) = 0;
    virtual void decodedReference(uint64_t picture) = 0;
    virtual void decodedFrame(uint64_t picture) = 0;
    virtual void wantsInput() = 0;
    virtual void drained() = 0;
    virtual void isReset() = 0;
    virtual void failed(Error error) = 0;
};

class Decoder {
public:
    virtual ~Decoder() {}
    virtual void begin(const void *settings, const uint8_t *parameters, uint32_t size, Listener *listener, int32_t cores) = 0;
    virtual void decode(Encoded *frame, bool isMissing, const uint8_t *more, uint32_t size, int64_t renderTime) = 0;
    virtual void reset() = 0;
    virtual void drain() = 0;
    virtual void end() = 0;
};

}  // namespace gmp

namespace {

using namespace gmp;

// NAL units with their lengths in front, in the machine's byte order or the network's, become a byte stream.
void makeByteStream(std::vector<uint8_t> &bytes) {
    static const uint8_t startCode[4] = {0, 0, 0, 1};
    for (size_t at = 0; at + 4 <= bytes.size();) {
        if (!memcmp(&bytes[at], startCode, 4) && at == 0) return;
        uint32_t length;
        memcpy(&length, &bytes[at], 4);
        const size_t rest = bytes.size() - at - 4;
        if (length > rest) length = __builtin_bswap32(length);
        if (length > rest) return;
        memcpy(&bytes[at], startCode, 4);
        at += 4 + static_cast<size_t>(length);
    }
}

class OpenH264 : public Decoder {
public:
    explicit OpenH264(Host *host) : host(host) {}

    void begin(const void *, const uint8_t *, uint32_t, Listener *listener, int32_t) override {
        this->listener = listener;
        SDecodingParam parameters;
        memset(&parameters, 0, sizeof parameters);
        parameters.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
        parameters.eEcActiveIdc = ERROR_CON_DISABLE;
        if (WelsCreateDecoder(&decoder) || decoder->Initialize(&parameters)) listener->failed(decodeError);
    }

    void decode(Encoded *frame, bool, const uint8_t *, uint32_t, int64_t) override {
        std::vector<uint8_t> bytes(frame->buffer(), frame->buffer() + frame->size());
        const uint64_t timestamp = frame->timestamp(), duration = frame->duration();
        frame->destroy();
        makeByteStream(bytes);
        uint8_t *planes[3] = {};
        SBufferInfo info;
        memset(&info, 0, sizeof info);
        if (decoder->DecodeFrameNoDelay(bytes.data(), static_cast<int>(bytes.size()), planes, &info)) {
            return listener->failed(decodeError);
        }
        if (info.iBufferStatus == 1) show(planes, info.UsrData.sSystemBuffer, timestamp, duration);
        listener->wantsInput();
    }

    void reset() override { listener->isReset(); }
    void drain() override { listener->drained(); }

    void end() override {
        if (decoder) {
            decoder->Uninitialize();
            WelsDestroyDecoder(decoder);
        }
        delete this;
    }

private:
    void show(uint8_t *planes[3], const SSysMEMBuffer &size, uint64_t timestamp, uint64_t duration) {
        Frame *frame = nullptr;
        if (host->createFrame(i420Format, &frame)) return listener->failed(decodeError);
        Picture *picture = static_cast<Picture *>(frame);
        const int32_t chromaSize = size.iStride[1] * ((size.iHeight + 1) / 2);
        picture->create(
            size.iStride[0] * size.iHeight, planes[0], chromaSize, planes[1], chromaSize, planes[2], size.iWidth, size.iHeight,
            size.iStride[0], size.iStride[1], size.iStride[1]);
        picture->setTimestamp(timestamp);
        picture->setDuration(duration);
        listener->decoded(picture);
    }

    Host *host;
    Listener *listener = nullptr;
    ISVCDecoder *decoder = nullptr;
};

}  // namespace

extern "C" {
__attribute__((visibility("default"))) int32_t GMPInit(const void *) { return gmp::noError; }

__attribute__((visibility("default"))) int32_t GMPGetAPI(const char *name, void *host, void **api) {
    if (strcmp(name, "decode-video")) return gmp::notImplemented;
    *api = static_cast<gmp::Decoder *>(new OpenH264(static_cast<gmp::Host *>(host)));
    return gmp::noError;
}

__attribute__((visibility("default"))) void GMPShutdown() {}
}
